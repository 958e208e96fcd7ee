/** Fields that are there only when their value is known. */

/** The field, unless its value is not known. */
export const present = <const K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  value === undefined ? {} : { [key]: value } as { readonly [P in K]: V }
