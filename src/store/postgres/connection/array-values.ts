import { storable } from '../archive/storable-text.ts'

/** Arrays as PostgreSQL reads them. Written here, since the driver quotes and escapes every number. */
export function numberArray(values: readonly (number | bigint | boolean)[]): string {
  return `{${values.join(',')}}`
}

export function textArray(values: readonly string[]): string {
  let text = '{'
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!
    text += at === 0 ? '"' : ',"'
    text += needsEscape.test(value) ? storable(value).replace(/["\\]/g, '\\$&') : value
    text += '"'
  }
  return `${text}}`
}

/** Nulls stay what they are. */
export function bytesArray(values: readonly (Uint8Array | null)[]): string {
  let text = '{'
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!
    if (at > 0) text += ','
    text +=
      value === null ? 'NULL' : `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}"`
  }
  return `${text}}`
}

const needsEscape = /["\\\0]/
