/** Number of leading codes two texts have in common, at most `max`. */
export function sharedStart(a: Uint16Array, b: Uint16Array, max: number): number {
  let at = 0
  while (at < max && a[at] === b[at]) at++
  return at
}

/** Number of trailing codes they have in common, at most `max`. */
export function sharedEnd(a: Uint16Array, aEnd: number, b: Uint16Array, bEnd: number, max: number): number {
  let length = 0
  while (length < max && a[aEnd - 1 - length] === b[bEnd - 1 - length]) length++
  return length
}
