/** Bytes by the moment at which they were superseded, in spans that grow so that their number stays bounded. */
export type AgeHistogram = {
  add(at: number, bytes: number): void
  /**
   * The span in which the oldest bytes reach a sum, and how many lie before it. Null where all together don't reach it;
   * then `total` is less.
   */
  reach(sum: number): { from: number; to: number; bytesBefore: number } | null
  readonly total: number
}

const MAX_SPANS = 32_768

export function createAgeHistogram(maxSpans = MAX_SPANS): AgeHistogram {
  let spans = new Map<number, number>()
  let spanMs = 1
  let total = 0

  function widen(): void {
    spanMs *= 2
    const wider = new Map<number, number>()
    for (const [span, bytes] of spans) {
      const half = Math.floor(span / 2)
      wider.set(half, (wider.get(half) ?? 0) + bytes)
    }
    spans = wider
  }

  return {
    get total() {
      return total
    },
    add(at, bytes) {
      const span = Math.floor(at / spanMs)
      spans.set(span, (spans.get(span) ?? 0) + bytes)
      total += bytes
      while (spans.size > maxSpans) widen()
    },
    reach(sum) {
      let bytesBefore = 0
      for (const span of [...spans.keys()].sort((a, b) => a - b)) {
        const bytes = spans.get(span)!
        if (bytesBefore + bytes >= sum) return { from: span * spanMs, to: (span + 1) * spanMs, bytesBefore }
        bytesBefore += bytes
      }
      return null
    },
  }
}
