/**
 * A short value that is equal for equal JSON values: how parameters are compared without keeping them.
 *
 * Two 32-bit hashes over the value's structure, with object keys in sorted order. It gives up on values of more than
 * 4,096 nodes or 65,536 characters (at most some 100 µs), and on objects that hide what they hold (dates, maps, class
 * instances): such a call is recognised by object identity only.
 */

const maximumNodes = 4096
const maximumCharacters = 65_536

class Hasher {
  first = 0xdeadbeef
  second = 0x41c6ce57
  nodes = 0
  characters = 0

  text(value: string): boolean {
    this.characters += value.length
    if (this.characters > maximumCharacters) return false
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index)
      this.first = Math.imul(this.first ^ code, 2654435761)
      this.second = Math.imul(this.second ^ code, 1597334677)
    }
    // A separator that no character code equals: "ab","c" and "a","bc" differ.
    this.first = Math.imul(this.first ^ 0x10001, 2654435761)
    return true
  }

  value(value: unknown): boolean {
    if (++this.nodes > maximumNodes) return false
    if (typeof value === "string") return this.text("s") && this.text(value)
    if (value === null || typeof value !== "object") return this.text(typeof value) && this.text(String(value))
    if (Array.isArray(value)) {
      if (!this.text(`[${value.length}`)) return false
      for (const item of value) if (!this.value(item)) return false
      return true
    }
    const prototype = Object.getPrototypeOf(value)
    if (prototype !== null && prototype !== Object.prototype) return false
    const keys = Object.keys(value).sort()
    if (!this.text(`{${keys.length}`)) return false
    for (const key of keys) {
      // A getter is the app's code: it is not called for this.
      const property = Object.getOwnPropertyDescriptor(value, key)
      if (property === undefined || property.get !== undefined) return false
      if (!this.text(key) || !this.value(property.value)) return false
    }
    return true
  }
}

/** The fingerprint of a JSON-like value, or `undefined` when it is too large or cannot be read. */
export const make = (value: unknown): string | undefined => {
  const hasher = new Hasher()
  try {
    if (!hasher.value(value)) return undefined
  } catch {
    return undefined
  }
  return `${(hasher.first >>> 0).toString(36)}.${(hasher.second >>> 0).toString(36)}`
}
