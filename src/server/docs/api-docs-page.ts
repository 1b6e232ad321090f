import { escapeHtml } from '../../core/html/escape.ts'
import { exampleOf, type JsonSchema, outlineOf } from './api-docs-schema.ts'

/** The part of OpenAPI that is shown. */
export type ApiDescription = {
  info: { title: string; description?: string }
  paths?: Record<string, Record<string, Operation>>
}

export type Operation = {
  operationId?: string
  tags?: string[]
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: JsonSchema }> }
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: JsonSchema }> }>
  'x-access'?: string
  'x-scope'?: string
}

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: JsonSchema }
type Call = { method: string; path: string; operation: Operation }

/** Placeholder for the server's URL. */
export const EXAMPLE_ADDRESS = 'http://erace.invalid'

export function writeApiDocs({ info, paths = {} }: ApiDescription, stylePath: string): string {
  const groups = groupsOf(paths)
  const menu = [...groups.keys()].map((tag) => `<li><a href="#${idOf(tag)}">${escapeHtml(titleOf(tag))}</a></li>`)
  const sections = [...groups].map(([tag, calls]) => writeGroup(tag, calls))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(info.title)} API</title>
<link rel="stylesheet" href="${escapeHtml(stylePath)}">
</head>
<body>
<header>
<h1>${escapeHtml(info.title)} API</h1>
<p>${escapeHtml(info.description ?? '')}</p>
<p>OpenAPI document: <a href="/api/v1/openapi.json">openapi.json</a>. Sign in with a cookie (<code>POST /api/v1/session</code>) or send
<code>Authorization: Bearer TOKEN</code>; create tokens in the settings. Lists return <code>{ items, next }</code>: pass
<code>next</code> as <code>cursor</code> to get the next page. Errors return <code>{ error: { code, message, details? } }</code> with a
matching status. Times are ISO 8601 in UTC.</p>
</header>
<nav aria-label="Groups"><ul>${menu.join('')}</ul></nav>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`
}

function groupsOf(paths: Record<string, Record<string, Operation>>): Map<string, Call[]> {
  const groups = new Map<string, Call[]>()
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'other'
      const calls = groups.get(tag) ?? []
      calls.push({ method: method.toUpperCase(), path, operation })
      groups.set(tag, calls)
    }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function writeGroup(tag: string, calls: readonly Call[]): string {
  const shown = calls.find(({ method }) => method === 'GET') ?? calls[0]!
  return `<section id="${idOf(tag)}" aria-labelledby="${idOf(tag)}-title">
<h2 id="${idOf(tag)}-title">${escapeHtml(titleOf(tag))}</h2>
<pre class="example" tabindex="0"><code>${escapeHtml(curlOf(shown))}</code></pre>
${calls.map(writeCall).join('\n')}
</section>`
}

function writeCall({ method, path, operation }: Call): string {
  const { summary = '', description = '', parameters = [], requestBody, responses = {} } = operation
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<h3>Body <small>${escapeHtml(type)}</small></h3>${outline(schema)}`,
  )
  const answers = Object.entries(responses).map(([status, answer]) => writeAnswer(status, answer))
  return `<details>
<summary><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code> <span class="about">${escapeHtml(summary)}</span></summary>
<div class="call">
<p class="who">${escapeHtml(whoOf(operation))}</p>
${description === '' ? '' : `<p>${escapeHtml(description)}</p>`}
${parameters.length === 0 ? '' : writeParameters(parameters)}
${body.join('\n')}
<h3>Responses</h3>
${answers.join('\n')}
</div>
</details>`
}

const who: ReadonlyMap<string, string> = new Map(
  Object.entries({
    anyone: 'Access: public.',
    session: 'Access: signed-in users; tokens are not accepted.',
    administrator: 'Access: administrators, or their tokens with the scope admin.',
  }),
)

function whoOf({ 'x-access': access = '', 'x-scope': scope = '' }: Operation): string {
  return who.get(access) ?? `Access: signed-in users, or tokens with the scope ${scope}.`
}

function writeParameters(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, description, schema = {} }) => {
    const about = description ?? schema.description ?? ''
    const { description: _shown, ...plain } = schema
    return `<tr><th scope="row"><code>${escapeHtml(name)}</code>${required === true ? '' : ' <small>optional</small>'}</th>
<td>${escapeHtml(place)}</td><td><code>${escapeHtml(outlineOf(plain))}</code> ${escapeHtml(about)}</td></tr>`
  })
  return `<h3>Parameters</h3><div class="wide" tabindex="0"><table><thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">value</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>`
}

function writeAnswer(status: string, answer: NonNullable<Operation['responses']>[string]): string {
  const forms = Object.entries(answer.content ?? {})
  const about = answer.description === 'Default Response' ? '' : (answer.description ?? '')
  const head = (type: string): string =>
    `<p class="status"><strong>${escapeHtml(status)}</strong> ${escapeHtml(about)} <small>${escapeHtml(type)}</small></p>`
  if (forms.length === 0) return head('')
  return forms.map(([type, { schema }]) => head(type) + outline(schema)).join('')
}

function outline(schema: JsonSchema | undefined): string {
  return `<pre tabindex="0"><code>${escapeHtml(outlineOf(schema ?? {}))}</code></pre>`
}

function curlOf({ method, path, operation }: Call): string {
  const url = EXAMPLE_ADDRESS + path.replaceAll(/\{\w+\}/g, '1') + queryOf(operation)
  const parts = [`curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`]
  if (operation['x-access'] === 'session') parts.push(`-b 'erace_session=…'`)
  else if (operation['x-access'] !== 'anyone') parts.push(`-H 'Authorization: Bearer TOKEN'`)
  const schema = operation.requestBody?.content['application/json']?.schema
  if (schema !== undefined)
    parts.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(exampleOf(schema))}'`)
  return parts.join(' \\\n  ')
}

function queryOf({ parameters = [] }: Operation): string {
  const needed = parameters.filter((each) => each.in === 'query' && each.required === true)
  const pairs = needed.map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema ?? {})))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const titleOf = (tag: string): string => tag.charAt(0).toUpperCase() + tag.slice(1)
const idOf = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
