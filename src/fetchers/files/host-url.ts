import { AppError } from '../../core/errors.ts'

export type HostUrl = {
  /** In lower case. */
  scheme: string
  /** As a URL has it: in lower case, in ASCII, an IPv6 address in brackets. */
  host: string
  port: number
  /** Beginning with a slash; as it was given, with query and fragment. */
  path: string
}

/**
 * Takes a URL with a host apart. The standard's parser knows only a few schemes well enough for it, and it resolves `..` before anybody
 * could refuse it; hosts are read as it reads those of the web. Throws `url-invalid`.
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

/** Scheme, host and port, as they are written. */
export function originText({ scheme, host, port }: HostUrl, ports: ReadonlyMap<string, number>): string {
  return `${scheme}://${host}${port === ports.get(scheme) ? '' : `:${port}`}`
}

/** A host as it is connected to: without brackets. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

export function wrongUrl(kind: string): (what: string) => AppError {
  return (what) => new AppError('url-invalid', `not a valid ${kind} URL: ${what}`)
}
