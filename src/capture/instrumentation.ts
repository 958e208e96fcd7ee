/** What puts toolspan around a provider's hooks, a model, a toolkit and a provider client. */

/** The parameters of `LanguageModel.make`. */
export const wrapProvider = <A>(params: A): A => params

/** A `LanguageModel` service. */
export const wrapLanguageModel = <A>(service: A): A => service

/** A toolkit. */
export const wrapToolkit = <A>(toolkit: A): A => toolkit

/** The service of a provider client. */
export const wrapClient = <A>(service: A): A => service
