/** A set of version numbers in a bit each: numbers are given out one after the other, so a million takes 125 KB. */
export function createVersionBits() {
  let bytes = new Uint8Array(1024)
  return {
    has: (id: number): boolean => ((bytes[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0,
    add(id: number): void {
      const index = id >>> 3
      if (index >= bytes.length) {
        const larger = new Uint8Array(Math.max(bytes.length * 2, index + 1))
        larger.set(bytes)
        bytes = larger
      }
      bytes[index] = bytes[index]! | (1 << (id & 7))
    },
  }
}
