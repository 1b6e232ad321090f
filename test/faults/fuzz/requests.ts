import type { Random } from '../../../bench/origin/random.ts'
import { addressList, xmlDocument } from './documents.ts'
import { jsonText, mutateBytes, mutateValue, oddString } from './odd-values.ts'
import { type CallerName, nameOf, type Operation, type World } from './operations.ts'
import { exampleOf, profileExample } from './schema-values.ts'

/** How the body is sent; `short` ends before its Content-Length, `long` continues after it. */
export type Framing = 'length' | 'chunked' | 'pieces' | 'short' | 'long' | 'both' | 'broken-chunks'

export type FuzzRequest = {
  caller: CallerName
  method: string
  /** Request target as sent. */
  target: string
  headers: [name: string, value: string][]
  body: Buffer | null
  framing: Framing
  /** Last octet of the source address. */
  from: number
  /** The operation it was derived from. */
  operation: string
  /** The body is incomplete, or it is no request at all: the client closes its end, and the server may close the connection. */
  mayClose: boolean
}

const callers: readonly CallerName[] = [
  'nobody',
  'ann',
  'ann',
  'ann',
  'ann-read',
  'ann-write',
  'root',
  'root',
  'root-read',
  'root-write',
  'root-admin',
]

/** The request with this number: the same world, seed and number give the same request. */
export function requestOf(world: World, random: Random): FuzzRequest {
  const operation = operationOf(world, random)
  const suitable: readonly CallerName[] =
    operation.access === 'administrator' ? ['root', 'root-admin'] : ['ann', 'ann', 'ann-write', 'root']
  const caller = random.pick(random.below(2) === 0 ? suitable : callers)
  const request: FuzzRequest = {
    caller,
    method: operation.method,
    target: targetOf(operation, world, random),
    headers: [],
    body: null,
    framing: 'length',
    from: 2 + random.below(200),
    operation: nameOf(operation),
    mayClose: false,
  }
  addBody(request, operation, world, random)
  if (random.below(3) === 0) disturbHeaders(request, random)
  if (random.below(12) === 0) disturbTarget(request, random)
  if (random.below(12) === 0) disturbFraming(request, random)
  return sparingAccounts(request, world)
}

/** Favours operations whose input is more than numbers. */
function operationOf({ operations }: World, random: Random): Operation {
  const drawn = random.below(4)
  if (drawn === 0) return random.pick(operations.filter(({ path }) => /profiles|import|search|explain/.test(path)))
  if (drawn === 1) return random.pick(operations.filter(({ bodies }) => bodies.size > 0))
  return random.pick(operations)
}

function targetOf({ path, parameters }: Operation, world: World, random: Random): string {
  const isOdd = random.below(3) === 0
  const textFor = ({ name, schema }: Operation['parameters'][number]): string =>
    isOdd && random.below(3) === 0 ? oddString(random) : String(exampleOf(schema, name, world, random))
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name)!
    if (isOdd && random.below(2) === 0) return encoded(oddString(random).slice(0, 3000), random)
    return encodeURIComponent(String(world.idFor(path, random) ?? exampleOf(parameter.schema, name, world, random)))
  })
  const query: string[] = []
  for (const parameter of parameters) {
    if (parameter.in !== 'query' || (!parameter.required && random.below(5) < 3)) continue
    query.push(`${parameter.name}=${encoded(textFor(parameter), random)}`)
    if (isOdd && random.below(6) === 0) query.push(`${parameter.name}=${encoded(textFor(parameter), random)}`)
  }
  if (isOdd && random.below(3) === 0)
    query.push(
      random.pick([
        'limit[]=1',
        'x=%ff%fe',
        '=',
        '&&&',
        '%00=1',
        '__proto__[x]=1',
        'constructor=1',
        'a=b=c',
        '%u0041=1',
      ]),
    )
  return inPath + (query.length === 0 ? '' : `?${query.join('&')}`)
}

/** Usually encodes correctly; otherwise as invalid UTF-8, twice, or not at all. */
function encoded(text: string, random: Random): string {
  const proper = encodeURIComponent(text.toWellFormed())
  switch (random.below(20)) {
    case 0:
      return encodeURIComponent(proper)
    case 1:
      return `${proper}%ff`
    case 2:
      return `${proper}%`
    case 3:
      return [...Buffer.from(text)]
        .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
        .join('')
        .slice(0, 9000)
    case 4:
      // Characters allowed unencoded in a request line.
      return text.replaceAll(/[^!-~]/g, '')
    default:
      return proper
  }
}

function addBody(request: FuzzRequest, { path, bodies }: Operation, world: World, random: Random): void {
  const types = [...bodies.keys()]
  if (types.length === 0) {
    if (random.below(20) > 0) return
    request.headers.push(['content-type', 'application/json'])
    request.body = Buffer.from(jsonText(mutateValue({ a: 1 }, random)))
    return
  }
  const type = random.pick(types)
  request.headers.push(['content-type', type])
  if (type.endsWith('xml')) {
    request.body = xmlDocument(random, ['profile', 'urd'])
    return
  }
  const value = path.includes('/profiles')
    ? profileExample(world, random)
    : path.endsWith('/sources/import')
      ? { text: addressList(random), format: random.pick(['auto', 'auto', 'opml', 'list']) }
      : exampleOf(bodies.get(type)!, '', world, random)
  const how = random.below(10)
  request.body = Buffer.from(jsonText(how < 3 ? value : mutateValue(value, random)))
  if (how === 9) request.body = mutateBytes(request.body, random, ['"', '{', '[', '\\', ',', ':', '\ufeff', '\\ud800'])
}

const oddHeaders: readonly [string, string][] = [
  ['accept', 'application/xml'],
  ['accept', 'text/xml;q=0.5, application/json;q=0.4'],
  ['accept', 'image/png'],
  ['accept', '*/*;q=9, ;;;,,,'],
  ['accept', 'a/b,'.repeat(3000)],
  ['accept', 'text/vnd.wap.wml'],
  ['accept-encoding', 'gzip, br, deflate'],
  ['accept-language', 'x'.repeat(3000)],
  ['if-none-match', '*'],
  ['if-none-match', '"a", W/"b", c'],
  ['if-modified-since', 'Thu, 99 Foo 2026'],
  ['range', 'bytes=0-0,-1,5-'],
  ['range', 'bytes=99999999999999999999-'],
  ['host', 'evil.invalid:99999'],
  ['host', '[::1'],
  ['expect', '100-continue'],
  ['expect', 'something'],
  ['origin', 'http://evil.invalid'],
  ['origin', 'null'],
  ['sec-fetch-site', 'cross-site'],
  ['last-event-id', '-1'],
  ['last-event-id', '99999999999999999999'],
  ['last-event-id', 'x'.repeat(5000)],
  ['cookie', 'erace_session=wrong; erace_session=other; ;;=;a'],
  ['cookie', 'erace_session=%E0%A4%A'],
  ['authorization', 'Bearer'],
  ['authorization', 'Basic YTpi'],
  ['authorization', `Bearer ${'a'.repeat(3000)}`],
  ['authorization', 'Bearer erace_\u00ff'],
  ['x-forwarded-for', '::1, 1.2.3.4, nonsense'],
  ['x-forwarded-proto', 'https, http'],
  ['x-http-method-override', 'DELETE'],
  ['upgrade', 'websocket'],
  ['te', 'trailers'],
  ['trailer', 'x-y'],
  ['content-encoding', 'gzip'],
  ['content-length', '5'],
  ['content-length', '-1'],
  ['content-length', '99999999999999999999'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['x-long', 'x'.repeat(40_000)],
  ['x y', 'z'],
  ['x-control', 'a\u0001b'],
]

const oddTypes: readonly string[] = [
  '',
  'text/plain',
  'application/xml',
  'text/xml; charset=utf-16',
  'application/json; charset=utf-7',
  'application/json;;;charset',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json, text/xml',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'x'.repeat(3000),
  '__proto__',
]

function disturbHeaders(request: FuzzRequest, random: Random): void {
  for (let n = 1 + random.below(3); n > 0; n--) {
    const [name, value] = random.pick(oddHeaders)
    request.headers.push([name, value])
    // The body is shorter or longer than its Content-Length.
    if (name === 'content-length') request.mayClose = true
  }
  if (random.below(30) === 0)
    for (let n = 0; n < 3000; n++) request.headers.push([`x-${n}`, random.pick(['', 'a', 'é'])])
  if (random.below(3) === 0) {
    request.headers = request.headers.filter(([name]) => name !== 'content-type')
    request.headers.push(['content-type', random.pick(oddTypes)])
  }
}

function disturbTarget(request: FuzzRequest, random: Random): void {
  const { target } = request
  request.target = random.pick([
    () => target.replace('/api', '//api'),
    () => target.replace('/v1/', '/v1/../v1/'),
    () => target.replace('/v1/', '/v1/%2e%2e/v1/'),
    () => target.replaceAll('/', '%2f').replace('%2f', '/'),
    () => target.toUpperCase(),
    () => `${target.replace(/\?.*/, '')}/`,
    () => target.replace(/(\?|$)/, ';x=1$1'),
    () => target.replace(/(\?|$)/, '%00$1'),
    () => `http://evil.invalid${target}`,
    () => `${target}#fragment`,
    () => '*',
    () => target.replace('?', '??'),
    () => target.replace('api', '%61pi'),
    () => `/${'a/'.repeat(5000)}`,
    () => `/${'a'.repeat(31_000)}`,
    () => target.replace('/api', '\\api'),
    () => '/feeds/x.atom',
    () => `/assets/${encodeURIComponent(oddString(random).slice(0, 200).toWellFormed())}`,
    () => '/..%2f..%2fpackage.json',
    () => '/metrics',
    () => '/api/docs',
  ])()
  if (random.below(4) === 0)
    request.method = random.pick(['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'PUT', 'get', 'CONNECT', 'QUERY', 'X Y'])
  if (request.method === 'CONNECT') request.mayClose = true
}

function disturbFraming(request: FuzzRequest, random: Random): void {
  if (request.body === null) return
  request.framing = random.pick<Framing>(['chunked', 'pieces', 'short', 'long', 'both', 'broken-chunks'])
  if (request.framing === 'short') request.mayClose = true
}

/** Turns requests that would change or remove the run's own accounts into GET. */
function sparingAccounts(request: FuzzRequest, world: World): FuzzRequest {
  const id = /users\/+([^/?;#]*)/i.exec(looselyDecoded(request.target))?.[1]
  if (id === undefined || !world.accounts.includes(Number(id)) || request.method === 'GET') return request
  return { ...request, method: 'GET', body: null }
}

/** Percent-decodes a target byte by byte, so that no spelling hides its path. */
export function looselyDecoded(target: string): string {
  return target.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
