/** Whether a charset is UTF-7 (RFC 2152), an encoding for mail only, which the web's decoders refuse. */
export const isUtf7 = (charset: string | undefined): boolean => /^(?:unicode-1-1-)?utf-?7$/i.test(charset ?? '')

/** Text between `+` and `-` is UTF-16 in base64 without padding, and `+-` is a plus sign. */
export function decodeUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (all, shifted: string) => {
    if (shifted === '') return all === '+-' ? '+' : all
    const bytes = Buffer.from(shifted, 'base64')
    return bytes
      .subarray(0, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le')
  })
}

const word = /=\?(?:unicode-1-1-)?utf-?7(?:\*[^?\s]*)?\?([qb])\?([^?\s]*)\?=/gi

/** Encoded words in UTF-7 as encoded words in UTF-8. */
export function withoutUtf7Words(field: string): string {
  return field.replace(word, (_, kind: string, content: string) => {
    const ascii = kind.toLowerCase() === 'b' ? Buffer.from(content, 'base64').toString('latin1') : unquoted(content)
    return `=?utf-8?B?${Buffer.from(decodeUtf7(ascii)).toString('base64')}?=`
  })
}

function unquoted(content: string): string {
  return content
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
