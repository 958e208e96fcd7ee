/** How much one span tells at most; what is beyond is counted (`Toolspan.stats`), and most of it on the span too. */

/** Links from one request to the results that it carries. */
export const maximumConsumesLinks = 128

/** Events of violations on one span. */
export const maximumViolationEvents = 20

/** Events of preliminary results on one execution's span. */
export const maximumPreliminaryEvents = 32
