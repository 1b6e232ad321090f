import { AppError } from '../../core/errors.ts'

/** Refuses control characters: the URL parser drops line breaks and tabs, which would join the words they separate. */
export function parseUrl(text: string): URL | null {
  if (/\p{Cc}/u.test(text))
    throw new AppError('url-invalid', 'the address has control characters; write a line break as %0A')
  return URL.parse(text)
}

/** The parameters of a source's URL, in order. Throws `url-invalid` for unknown, duplicate or broken ones. */
export function readParameters(
  text: string,
  known: readonly string[],
  repeated: readonly string[] = [],
): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals === -1 ? part : part.slice(0, equals))
    if (!known.includes(name))
      throw new AppError(
        'url-invalid',
        `unknown parameter ${JSON.stringify(name.slice(0, 40))}; use ${known.join(', ')}`,
      )
    const values = found.get(name) ?? []
    if (values.length > 0 && !repeated.includes(name)) throw new AppError('url-invalid', `${name} is there twice`)
    found.set(name, [...values, decoded(equals === -1 ? '' : part.slice(equals + 1))])
  }
  return found
}

/** `+` is a space, as in forms, unless the text contains spaces or `%20`: then it is a plus. */
export function decoded(text: string): string {
  const spaced = /%20| /.test(text) ? text : text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw new AppError('url-invalid', `a percent sign is not written as %25: ${text.slice(0, 100)}`)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\0-\x08\x0b-\x1f\x7f]/

/** Tabs and line feeds are text; other control characters are refused. */
export function withoutControls(text: string, what: string): string {
  const unix = text.replace(/\r\n?/g, '\n')
  if (control.test(unix)) throw new AppError('url-invalid', `${what} has control characters`)
  return unix
}

export function writeParameters(values: readonly (readonly [string, string])[]): string {
  return values
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join('&')
}

/** Escapes as little as possible, for readable URLs. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:24|2C|2F|3A|40)/g, (sign) => decodeURIComponent(sign))
}

/** Column names, separated by commas. */
export function readNames(text: string, what: string): string[] {
  if (/\p{Cc}/u.test(text)) throw new AppError('url-invalid', `${what} has control characters`)
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new AppError('url-invalid', `${what} has an empty name`)
  if (names.length > 16) throw new AppError('url-invalid', `${what} has more than 16 names`)
  return names
}
