import { AppError } from '../../core/errors.ts'

export type HostUrl = {
  /** In lower case. */
  scheme: string
  /** As in a URL: lower case, ASCII, IPv6 addresses in brackets. */
  host: string
  port: number
  /** Starts with a slash; unchanged, with query and fragment. */
  path: string
}

/**
 * Parses a URL with a host. The standard URL parser supports only a few schemes well enough, and it resolves `..` before that could be
 * refused; hosts are parsed as it parses those of web URLs. Throws `url-invalid`.
 */
export function hostUrlOf(url: string, ports: ReadonlyMap<string, number>): HostUrl {
  const wrong = wrongUrl([...ports.keys()].join(' or '))
  if (/\p{Cc}/u.test(url)) throw wrong('it has control characters')
  const [, given = '', authority = '', path = ''] = /^([a-z]+):\/\/([^/?#\\]*)(.*)$/i.exec(url) ?? []
  const scheme = given.toLowerCase()
  const usual = ports.get(scheme)
  if (usual === undefined) throw wrong(`write it as ${[...ports.keys()][0]}://host/path`)
  if (authority.includes('@')) throw wrong('a user or password can be stored with the source, not written in its URL')
  const [, name = '', digits = ''] = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d{0,5}))?$/i.exec(authority) ?? []
  const host = name === '' ? '' : (URL.parse(`http://${name}/`)?.hostname ?? '')
  if (host === '') throw wrong('its host is missing or invalid')
  const port = digits === '' ? usual : Number(digits)
  if (port < 1 || port > 65_535) throw wrong('its port is invalid')
  return { scheme, host, port, path: path.startsWith('/') ? path : `/${path}` }
}

/** Scheme, host and port as text, without the default port. */
export function originText({ scheme, host, port }: HostUrl, ports: ReadonlyMap<string, number>): string {
  return `${scheme}://${host}${port === ports.get(scheme) ? '' : `:${port}`}`
}

/** A host without brackets, as needed to connect. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

export function wrongUrl(kind: string): (what: string) => AppError {
  return (what) => new AppError('url-invalid', `not a valid ${kind} URL: ${what}`)
}
