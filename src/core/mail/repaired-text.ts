import { isUtf8 } from 'node:buffer'

/** Characters whose byte in windows-1252 differs from their Unicode code point. */
const bytesOfSigns: ReadonlyMap<number, number> = new Map(
  Array.from(new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, i) => 0x80 + i)), (sign, i) => [
    sign.codePointAt(0)!,
    0x80 + i,
  ]),
)

const misread = /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u2122]/

/** Repairs UTF-8 that was misread as Western European (`Ã¼` for `ü`), line by line. */
export function repairedText(text: string): string {
  if (!misread.test(text)) return text
  return text.split('\n').map(repairedLine).join('\n')
}

function repairedLine(line: string): string {
  if (!misread.test(line)) return line
  const bytes = Buffer.alloc(line.length)
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i)
    const byte = bytesOfSigns.get(code) ?? code
    if (byte > 0xff) return line
    bytes[i] = byte
  }
  return isUtf8(bytes) ? bytes.toString('utf8') : line
}
