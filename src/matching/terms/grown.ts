/** Copies an array into a longer one. */
export function grown<T extends Uint32Array | Int32Array | Uint8Array | Uint16Array | Float32Array | Float64Array>(
  from: T,
  to: T,
): T {
  to.set(from)
  return to
}
