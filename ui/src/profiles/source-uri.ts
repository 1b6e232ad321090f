/**
 * The kinds of sources with their fields, and the addresses built from them. An address is parsed back into the same fields, so that a
 * stored source opens in its form; an address that no form can fully represent opens as plain text.
 */
export type SourceForm =
  | { kind: 'page'; address: string; steps: string[] }
  | { kind: 'feed'; address: string }
  | { kind: 'mailbox'; protocol: 'imap' | 'pop3'; tls: boolean; host: string; mailbox: string }
  | { kind: 'newsgroup'; tls: boolean; host: string; group: string }
  | {
      kind: 'database'
      system: 'postgres' | 'mysql' | 'sqlite'
      host: string
      /** For SQLite, the path of its file. */
      database: string
      query: string
      key: string
      title: string
      tls: '' | 'require' | 'verify-full'
    }
  | {
      kind: 'query'
      address: string
      method: 'GET' | 'form' | 'json'
      body: string
      rows: string
      /** One per line, `name:selector`. */
      cells: string[]
      key: string
      title: string
      next: string
      page: string
      pages: string
    }
  | { kind: 'files'; place: 'file' | 'ftp' | 'ftps' | 'gopher'; host: string; path: string }
  | { kind: 'other'; address: string }

export type SourceKind = SourceForm['kind']
type FormOf<K extends SourceKind> = Extract<SourceForm, { kind: K }>

const empty: { [K in SourceKind]: FormOf<K> } = {
  page: { kind: 'page', address: '', steps: [] },
  feed: { kind: 'feed', address: '' },
  mailbox: { kind: 'mailbox', protocol: 'imap', tls: true, host: '', mailbox: '' },
  newsgroup: { kind: 'newsgroup', tls: true, host: '', group: '' },
  database: {
    ...{ kind: 'database', system: 'postgres', host: '', database: '', query: '', key: '', title: '', tls: '' },
  },
  query: {
    ...{ kind: 'query', address: '', method: 'GET', body: '', rows: '', cells: [], key: '', title: '' },
    ...{ next: '', page: '', pages: '' },
  },
  files: { kind: 'files', place: 'file', host: '', path: '' },
  other: { kind: 'other', address: '' },
}

/** The form of another kind, keeping the address or host entered so far if it fits. */
export function formOfKind(kind: SourceKind, before: SourceForm): SourceForm {
  if (kind === before.kind) return before
  const address = 'address' in before ? before.address : ''
  if ('address' in empty[kind] && /^(?!query\+)/.test(address)) return { ...empty[kind], address } as SourceForm
  return 'host' in empty[kind] && 'host' in before ? ({ ...empty[kind], host: before.host } as SourceForm) : empty[kind]
}

/** The address of a form; empty while a required field is missing. `steps` need a browser. */
export function formatSource(form: SourceForm): string {
  switch (form.kind) {
    case 'page': {
      const steps = form.steps.filter((step) => step.trim() !== '').map((step) => encodePart(step.trim()))
      const address = form.address.trim()
      return address === '' || steps.length === 0 ? form.address : `${complete(address)}#!${steps.join('&')}`
    }
    case 'feed':
    case 'other':
      return form.address
    case 'mailbox': {
      const scheme = `${form.protocol}${form.tls ? 's' : ''}`
      return onHost(scheme, form.host, form.protocol === 'pop3' ? '' : encodePath(form.mailbox.trim()))
    }
    case 'newsgroup':
      return onHost(form.tls ? 'nntps' : 'nntp', form.host, encodePath(form.group.trim()))
    case 'database':
      return formatDatabase(form)
    case 'query':
      return formatQuery(form)
    case 'files': {
      const path = encodePath(form.path.trim().replace(/^\/+/, ''))
      if (form.place !== 'file') return onHost(form.place, form.host, path)
      return path === '' ? '' : `file:///${path}`
    }
  }
}

function formatDatabase({ system, host, database, query, key, title, tls }: FormOf<'database'>): string {
  const isFile = system === 'sqlite'
  const path = encodePath(database.trim().replace(/^\/+/, ''))
  const start = isFile ? (path === '' ? '' : `sqlite:///${path}`) : onHost(system, host, path)
  const values = [
    ['query', query.trim()],
    ['key', key.trim()],
    ['title', title.trim()],
    ['sslmode', isFile ? '' : tls],
  ] as const
  return start === '' ? '' : `${start}?${formatValues(values)}`
}

function formatQuery(form: FormOf<'query'>): string {
  if (form.address.trim() === '') return ''
  const isPost = form.method !== 'GET'
  const values = [
    ['rows', form.rows.trim()],
    ...form.cells.map((cell) => ['cells', cell.trim()] as const),
    ['key', form.key.trim()],
    ['title', form.title.trim()],
    ['method', isPost && form.body.trim() === '' ? 'POST' : ''],
    ['body', isPost ? form.body.trim() : ''],
    ['type', isPost ? form.method : ''],
    ['next', form.next.trim()],
    ['page', form.page.trim()],
    ['pages', form.pages.trim()],
  ] as const
  return `query+${complete(form.address.trim()).replace(/#.*/s, '')}#${formatValues(values)}`
}

/** Parses an address into the form that can represent all of it, else into `other`. */
export function parseSource(uri: string, render: Render = 'http'): SourceForm {
  const text = uri.trim()
  if (text === '') return empty.page
  return parsers.get(schemeOf(text))?.(text, render) ?? { kind: 'other', address: text }
}

export function schemeOf(uri: string): string {
  return /^([a-z][a-z0-9+.-]*):(?!\d)/i.exec(uri)?.[1]?.toLowerCase() ?? ''
}

type Render = 'http' | 'browser'
type Parser = (text: string, render: Render) => SourceForm | null

const parsers: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ...['', 'http', 'https'].map((scheme): [string, Parser] => [scheme, parseWeb]),
  ...['imap', 'imaps', 'pop3', 'pop3s'].map((scheme): [string, Parser] => [scheme, parseMailbox]),
  ...['nntp', 'nntps', 'news', 'snews'].map((scheme): [string, Parser] => [scheme, parseNewsgroup]),
  ...['postgres', 'postgresql', 'mysql', 'mariadb', 'sqlite'].map((scheme): [string, Parser] => [
    scheme,
    parseDatabase,
  ]),
  ...['query+http', 'query+https'].map((scheme): [string, Parser] => [scheme, parseQuery]),
  ...['file', 'ftp', 'ftps', 'gopher'].map((scheme): [string, Parser] => [scheme, parseFiles]),
])

const feedPath = /\/(?:feeds?|rss|atom|rdf)(?:\/|$)|\.(?:xml|rss|atom|rdf)$|\/(?:feed|index)\.json$/i

function parseWeb(text: string, render: Render): SourceForm | null {
  const hash = text.indexOf('#!')
  if (render === 'browser' && hash >= 0) {
    const steps = text
      .slice(hash + 2)
      .split('&')
      .map(decode)
    const form: SourceForm = { kind: 'page', address: text.slice(0, hash), steps: steps.map((step) => step ?? '') }
    return steps.includes(null) || formatSource(form) !== text ? null : form
  }
  const path = URL.parse(complete(text))?.pathname ?? ''
  if (render === 'http' && feedPath.test(path)) return { kind: 'feed', address: text }
  return { kind: 'page', address: text, steps: [] }
}

function parseMailbox(text: string): SourceForm | null {
  const found = parts(text)
  if (found === null || found.search !== '' || found.path === null) return null
  const protocol = found.scheme.startsWith('imap') ? 'imap' : 'pop3'
  if (protocol === 'pop3' && found.path !== '') return null
  return { kind: 'mailbox', protocol, tls: found.scheme.endsWith('s'), host: found.host, mailbox: found.path }
}

function parseNewsgroup(text: string): SourceForm | null {
  const found = parts(text)
  if (found === null || found.search !== '' || found.path === null || found.path.includes('/')) return null
  const tls = found.scheme === 'nntps' || found.scheme === 'snews'
  return { kind: 'newsgroup', tls, host: found.host, group: found.path }
}

const systems = new Map([
  ['postgres', 'postgres'],
  ['postgresql', 'postgres'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
  ['sqlite', 'sqlite'],
] as const)

function parseDatabase(text: string): SourceForm | null {
  const found = parts(text)
  const system = systems.get((found?.scheme ?? '') as 'postgres')
  if (found === null || system === undefined || found.path === null) return null
  const isFile = system === 'sqlite'
  const values = parseValues(
    found.search.slice(1),
    isFile ? ['query', 'key', 'title'] : ['query', 'key', 'title', 'sslmode'],
  )
  if (values === null || (isFile && found.host !== '')) return null
  const tls = values.one('sslmode')
  if (tls !== '' && tls !== 'require' && tls !== 'verify-full') return null
  const database = isFile ? `/${found.path}` : found.path
  const { one } = values
  return {
    kind: 'database',
    system,
    host: found.host,
    database,
    query: one('query'),
    key: one('key'),
    title: one('title'),
    tls,
  }
}

const queryNames = ['rows', 'cells', 'key', 'title', 'method', 'body', 'type', 'next', 'page', 'pages']

function parseQuery(text: string): SourceForm | null {
  const [address = '', fragment = ''] = text.slice('query+'.length).split('#', 2)
  const values = parseValues(fragment, queryNames, ['cells'])
  if (values === null) return null
  const { one } = values
  const isPost = one('body') !== '' || one('method').toUpperCase() === 'POST'
  if (!['', 'GET', 'POST'].includes(one('method').toUpperCase()) || !['', 'form', 'json'].includes(one('type')))
    return null
  const isJson = one('type') === 'json' || (one('type') === '' && /^[[{]/.test(one('body')))
  return {
    ...{ kind: 'query', address, method: isPost ? (isJson ? 'json' : 'form') : 'GET', body: one('body') },
    ...{ rows: one('rows'), cells: values.all('cells'), key: one('key'), title: one('title') },
    ...{ next: one('next'), page: one('page'), pages: one('pages') },
  }
}

function parseFiles(text: string): SourceForm | null {
  const found = parts(text)
  if (found === null || found.search !== '' || found.path === null) return null
  const place = found.scheme as FormOf<'files'>['place']
  if ((place === 'file') !== (found.host === '')) return null
  return { kind: 'files', place, host: found.host, path: `/${found.path}` }
}

/** `path` has no leading slash; null if one of its segments contains an encoded slash or can't be decoded. */
function parts(text: string): { scheme: string; host: string; path: string | null; search: string } | null {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(?:\/([^?#]*))?(\?[^#]*)?$/i.exec(text)
  if (match === null || match[2]!.includes('@')) return null
  const names = (match[3] ?? '').split('/').map(decode)
  const path = names.some((name) => name === null || name.includes('/')) ? null : names.join('/')
  return { scheme: match[1]!.toLowerCase(), host: match[2]!, path, search: match[4] ?? '' }
}

type Values = { one(name: string): string; all(name: string): string[] }

/** Null if there is a name other than these, or one that must not be repeated is. */
function parseValues(text: string, names: readonly string[], repeated: readonly string[] = []): Values | null {
  const values = new Map<string, string[]>()
  for (const part of text.split('&').filter((each) => each !== '')) {
    const equals = part.indexOf('=')
    const name = part.slice(0, Math.max(equals, 0))
    const given = part.slice(equals + 1)
    // `+` is a space, as in HTML forms, unless spaces are encoded as %20.
    const value = decode(/%20| /.test(given) ? given : given.replaceAll('+', ' '))
    const known = values.get(name)
    if (value === null || !names.includes(name) || (known !== undefined && !repeated.includes(name))) return null
    values.set(name, [...(known ?? []), value])
  }
  return { one: (name) => values.get(name)?.[0] ?? '', all: (name) => values.get(name) ?? [] }
}

function formatValues(values: readonly (readonly [string, string])[]): string {
  return values
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}

const onHost = (scheme: string, host: string, path: string): string =>
  host.trim() === '' ? '' : `${scheme}://${host.trim()}/${path}`

/** A bare host means a web page. */
export function complete(address: string): string {
  return /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address) ? address : `https://${address}`
}

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** Encodes a step; characters allowed in a fragment stay readable. */
const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:2B|2C|2F|3A|3B|3D|3F|40|5B|5D|7B|7D|24)/g, (code) => decodeURIComponent(code))

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null // a lone %: written by hand
  }
}
