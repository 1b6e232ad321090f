/** If more texts than this have the same samples, samples don't tell them apart. */
const maxAlike = 8

/**
 * Numbers texts, equal ones alike. A few characters tell a text from most others, and only texts with the same samples are compared in
 * full: a fraction of the time of hashing whole texts, as a `Map` does. If many have the same samples, as rows of a table can, they go
 * into such a map.
 */
export class TextNumbers {
  /** Number of distinct texts. */
  size = 0
  private readonly bySamples = new Map<number, Alike>()
  private readonly byText = new Map<string, number>()

  numberOf(text: string): number {
    const samples = samplesOf(text)
    const alike = this.bySamples.get(samples)
    if (alike === undefined) {
      this.bySamples.set(samples, { text, number: this.size, next: null, isFull: false })
      return this.size++
    }
    if (alike.isFull) return this.inMap(text)
    let last = alike
    let count = 0
    for (let each: Alike | null = alike; each !== null; each = each.next) {
      if (each.text === text) return each.number
      last = each
      count++
    }
    if (count < maxAlike) {
      last.next = { text, number: this.size, next: null, isFull: false }
      return this.size++
    }
    for (let each: Alike | null = alike; each !== null; each = each.next) this.byText.set(each.text, each.number)
    alike.isFull = true
    return this.inMap(text)
  }

  private inMap(text: string): number {
    const known = this.byText.get(text)
    if (known !== undefined) return known
    this.byText.set(text, this.size)
    return this.size++
  }
}

type Alike = { readonly text: string; readonly number: number; next: Alike | null; isFull: boolean }

/** Hash of the length and about five characters. */
function samplesOf(text: string): number {
  const { length } = text
  const step = (length >>> 2) + 1
  let hash = length
  for (let at = length - 1; at >= 0; at -= step) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  // Small numbers are faster keys.
  return hash >>> 2
}
