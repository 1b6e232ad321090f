import { hostUrlOf, originText, wrongUrl } from './host-url.ts'
import { encodeName, namesIn } from './path-bytes.ts'

const ports: ReadonlyMap<string, number> = new Map([
  ['ftp', 21],
  ['ftps', 990],
])

export type FtpUrl = {
  scheme: 'ftp' | 'ftps'
  host: string
  port: number
  /** Relative to the server's root, marked by a leading `%2F` (RFC 1738); otherwise to the user's initial folder. */
  isAbsolute: boolean
  names: readonly Buffer[]
  /** Ends with a slash. */
  isFolder: boolean
}

/** Throws `url-invalid`. */
export function ftpUrlOf(url: string): FtpUrl {
  const wrong = wrongUrl('FTP')
  const parts = hostUrlOf(url, ports)
  const isAbsolute = /^\/+%2f/i.test(parts.path)
  const names = namesIn(parts.path.replace(/^\/+%2f/i, '/'), wrong)
  // Names are sent in command lines, and FTP can't escape line breaks.
  if (names.some((name) => name.includes(0x0d) || name.includes(0x0a))) throw wrong('a name has a line break')
  const { host, port, scheme, path } = parts
  const isFolder = path.endsWith('/') || names.length === 0
  return { scheme: scheme as 'ftp' | 'ftps', host, port, isAbsolute, names, isFolder }
}

export function ftpUrlText(url: FtpUrl): string {
  const { isAbsolute, names, isFolder } = url
  const path = `${isAbsolute ? '%2F' : ''}${names.map(encodeName).join('/')}${isFolder && names.length > 0 ? '/' : ''}`
  return `${originText({ ...url, path }, ports)}/${path}`
}
