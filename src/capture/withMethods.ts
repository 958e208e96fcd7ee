/**
 * The same object with other properties in the place of some: prototype, getters and symbols stay, and a frozen one is no
 * obstacle. `mark` is set on the copy, unseen.
 */
export const withMethods = <A extends object>(
  original: A,
  replaced: Readonly<Record<string, unknown>>,
  mark?: symbol
): A => {
  const descriptors: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(original)
  for (const [name, value] of Object.entries(replaced)) {
    descriptors[name] = { value, enumerable: true, configurable: true, writable: true }
  }
  if (mark !== undefined) descriptors[mark] = { value: true }
  return Object.create(Object.getPrototypeOf(original), descriptors)
}
