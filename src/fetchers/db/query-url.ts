import { AppError, isAppError } from '../../core/errors.ts'
import type { Selector } from '../../core/select/page-part.ts'
import { readSelector } from '../../core/select/selector.ts'
import { parseUrl, readNames, readParameters, withoutControls, writeParameters } from './parameters.ts'
import type { RowNaming } from './rows.ts'

/**
 * A query of a website: `query+https://host/path?x=1#rows=$.items[*]&key=id&title=name`. The request is before the `#`; how to read the
 * response is after it:
 * - rows: selector of the rows; JSONPath, XPath or CSS
 * - cells: `name:.title,price:.price`, selectors of the cells within a row; may be repeated, one cell each
 * - key, title: names of cells
 * - body, type: makes it a POST; a form or JSON
 * - next: selector of the link to the next page or, with `page`, of the value of that parameter
 * - page: a parameter of the URL or body, incremented if there is no `next`
 * - pages: maximum number of pages
 */
export type QueryUrl = RowNaming & {
  /** The URL to request, without the fragment. */
  url: string
  rows: Choice
  cells: readonly { name: string; choice: Choice }[]
  body: string
  method: 'GET' | 'POST'
  type: '' | 'form' | 'json'
  next: Choice | null
  page: string
  pages: number
}

export type Choice = { source: string; selector: Selector; attribute: string }

export const querySchemes = ['query+http', 'query+https']
const names = ['rows', 'cells', 'key', 'title', 'method', 'body', 'type', 'next', 'page', 'pages']
const maxPages = 100
const usualPages = 10
const maxCells = 100
const maxBodyCharacters = 10_000

/** Throws `url-invalid`, with the reason. */
export function readQueryUrl(text: string): QueryUrl {
  const url = /^ *query\+https?:/i.test(text) ? parseUrl(text.trimStart().slice('query+'.length)) : null
  if (url === null || url.hostname === '')
    throw invalid("that isn't the address of a query: query+https://host/path#rows=…")
  if (url.username !== '' || url.password !== '')
    throw invalid("leave user and password out of the address; save them as the source's sign-in")
  const given = readParameters(url.hash.slice(1), names, ['cells'])
  const one = (name: string): string => withoutControls(given.get(name)?.[0] ?? '', name).trim()
  if (one('rows') === '') throw invalid('say what the rows are, such as #rows=$.items[*] or #rows=table tr')
  const rows = readChoice(one('rows'), 'rows')
  const isJson = rows.selector.kind === 'json'
  const cells = readCells(given.get('cells') ?? [], isJson)
  const key = one('key') === '' ? [] : readNames(one('key'), 'key')
  const title = one('title')
  if (title !== '' && key.length === 0) throw invalid('title names rows: it needs a key')
  const next = one('next') === '' ? null : readChoice(one('next'), 'next')
  if (next !== null && (next.selector.kind === 'json') !== isJson)
    throw invalid('rows and next have to be of one language')
  url.hash = ''
  const page = one('page')
  const pages = readPages(one('pages'), next !== null || page !== '')
  return {
    url: url.href,
    rows,
    cells,
    key,
    title,
    ...readBody(one('method'), one('body'), one('type')),
    next,
    page,
    pages,
  }
}

export function writeQueryUrl(query: QueryUrl): string {
  const isPaged = query.next !== null || query.page !== ''
  const values: [string, string][] = [
    ['rows', query.rows.source],
    ...query.cells.map(({ name, choice }): [string, string] => ['cells', `${name}:${choice.source}`]),
    ['key', query.key.join(',')],
    ['title', query.title],
    ['method', query.method === 'POST' && query.body === '' ? 'POST' : ''],
    ['body', query.body],
    ['type', query.method === 'POST' ? query.type : ''],
    ['next', query.next?.source ?? ''],
    ['page', query.page],
    ['pages', isPaged ? String(query.pages) : ''],
  ]
  return `query+${query.url}#${writeParameters(values)}`
}

function readChoice(given: string, what: string): Choice {
  const attribute = /^(?:[$/(]|\.\.?\/)/.test(given) ? '' : (/@([\w:-]+)$/.exec(given)?.[1] ?? '')
  const text = attribute === '' ? given : given.slice(0, -attribute.length - 1).trim()
  try {
    const selector: Selector = text === '' || text === '.' ? { kind: 'css', source: '' } : readSelector(text)
    if (selector.kind === 'pattern') throw invalid(`${what}: use JSONPath, XPath or CSS, not an expression`)
    return { source: given, selector, attribute }
  } catch (error) {
    if (isAppError(error, 'usage-wrong')) throw invalid(`${what}: ${error.message}`)
    throw error
  }
}

/** Separated by commas before the next `name:`, unless each has its own parameter. */
function readCells(given: readonly string[], isJson: boolean): { name: string; choice: Choice }[] {
  const parts = given.length === 1 ? given[0]!.split(/,(?=\s*[\p{L}_][\p{L}\p{N}_ -]*:)(?![^([]*[)\]])/u) : given
  const cells = parts
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const colon = part.indexOf(':')
      const name = part.slice(0, Math.max(colon, 0)).trim()
      if (name === '' || /\p{Cc}/u.test(part)) throw invalid('cells are written as name:selector,name:selector')
      const choice = readChoice(part.slice(colon + 1).trim(), `cells, ${name}`)
      if ((choice.selector.kind === 'json') !== isJson) throw invalid('rows and cells have to be of one language')
      return { name, choice }
    })
  if (cells.length > maxCells) throw invalid(`there are more than ${maxCells} cells`)
  if (new Set(cells.map(({ name }) => name)).size < cells.length) throw invalid('two cells have the same name')
  return cells
}

function readPages(given: string, isPaged: boolean): number {
  if (given === '') return isPaged ? usualPages : 1
  const pages = Number(given)
  if (!Number.isInteger(pages) || pages < 1 || pages > maxPages)
    throw invalid(`pages is a number from 1 to ${maxPages}`)
  if (!isPaged && pages > 1) throw invalid('pages needs next or page: say how the next page is found')
  return pages
}

function readBody(method: string, body: string, type: string): Pick<QueryUrl, 'body' | 'method' | 'type'> {
  if (!['', 'GET', 'POST'].includes(method.toUpperCase())) throw invalid('method is GET or POST')
  if (!['', 'form', 'json'].includes(type)) throw invalid('type is form or json')
  if (body.length > maxBodyCharacters) throw invalid(`the body is longer than ${maxBodyCharacters} characters`)
  const isPost = method === '' ? body !== '' : method.toUpperCase() === 'POST'
  if (!isPost && body !== '') throw invalid('a body needs method=POST')
  if (!isPost) return { body, method: 'GET', type: '' }
  const isJson = type === 'json' || (type === '' && /^[[{]/.test(body))
  if (isJson && !isJsonText(body)) throw invalid('the body is not JSON')
  return { body, method: 'POST', type: isJson ? 'json' : 'form' }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const invalid = (message: string): AppError => new AppError('url-invalid', message)
