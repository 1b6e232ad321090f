import type { ChannelAgent } from './channel-agent.ts'
import { exchange } from './http-outcome.ts'
import { type FormName, formNames, forms } from './render/forms.ts'
import { lineOf } from './render/lines.ts'
import { linkOf, type Message, nameOf, subjectOf, summaryLine } from './render/message.ts'
import { linesOf, textOf, urlFault } from './settings.ts'

/** Placeholders of a template. */
const names = ['id', 'subject', 'title', 'url', 'link', 'summary', 'profile', 'urgency', ...formNames] as const
type Name = (typeof names)[number]

function valuesOf(message: Message): Record<Name, () => string> {
  const [first] = message.items
  const rendered = Object.entries(forms).map(([name, { render }]) => [name, () => render(message)] as const)
  return {
    ...(Object.fromEntries(rendered) as Record<FormName, () => string>),
    id: () => message.id,
    subject: () => subjectOf(message),
    title: () => (first === undefined ? '' : nameOf(first)),
    url: () => lineOf(first?.url ?? ''),
    link: () => linkOf(message),
    summary: () => (first === undefined ? '' : summaryLine(first)),
    profile: () => lineOf(first?.profile ?? ''),
    urgency: () => String(first?.urgency ?? 1),
  }
}

/** How the value of a placeholder is escaped. */
const spellings = ['json', 'url', 'text'] as const
const place = /\{\{\s*(\w+)(?:\s*\|\s*(\w+))?\s*\}\}/g

/** The error in a template; null if it is valid. */
function templateFault(template: string): string | null {
  for (const [whole, name, form] of template.matchAll(place)) {
    if (!(names as readonly string[]).includes(name!)) return `${whole} is unknown; there are ${names.join(', ')}`
    if (form !== undefined && !(spellings as readonly string[]).includes(form))
      return `${whole}: a form is one of ${spellings.join(', ')}`
  }
  return /\{\{|\}\}/.test(template.replace(place, '')) ? 'a {{ or }} is left open' : null
}

/** Fills in the placeholders. Values are escaped, so that they stay values in JSON and in URLs. */
function filled(template: string, message: Message, usual: (typeof spellings)[number]): string {
  const values = new Map<string, () => string>(Object.entries(valuesOf(message)))
  return template.replace(place, (_, name: string, form: string = usual) => {
    const value = values.get(name)!().toWellFormed()
    return form === 'json' ? JSON.stringify(value).slice(1, -1) : form === 'url' ? encodeURIComponent(value) : value
  })
}

export const httpTemplate: ChannelAgent = {
  kind: 'http',
  label: 'SMS or any other service',
  about: 'Calls an address with a template of yours: for SMS gateways and everything else that has an HTTP interface.',
  digest: { maxItems: 50, rest: 'next' },
  settings: [
    {
      name: 'url',
      label: 'Address',
      hint: 'Can have placeholders, such as {{short}}.',
      type: 'text',
      isRequired: true,
    },
    { name: 'method', label: 'Method', type: 'choice', choices: ['POST', 'PUT', 'GET'], usual: 'POST' },
    { name: 'headers', label: 'Headers', hint: 'Name: value, one per line.', type: 'lines' },
    {
      name: 'secretHeader',
      label: 'Secret header',
      hint: 'For a token: “Authorization: Bearer …”. Never shown again.',
      type: 'secret',
    },
    {
      name: 'body',
      label: 'Body',
      hint: `Such as {"text": "{{short}}"}. Placeholders: ${names.map((name) => `{{${name}}}`).join(' ')}`,
      type: 'long',
    },
    { name: 'type', label: 'Content type', type: 'text', usual: 'application/json' },
  ],
  check(settings) {
    const url = textOf(settings, 'url')
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url.replace(place, 'x')))
      return 'the address must begin with https:// or http://'
    // URL parsers skip further slashes before the host.
    if (/^https?:[/\\]+[^/\\?#]*\{\{/i.test(url)) return 'the host of the address must not come from a message'
    const wrong = [...linesOf(settings, 'headers'), textOf(settings, 'secretHeader')].find(
      (line) => line !== '' && headerOf(line) === null,
    )
    if (wrong !== undefined) return 'a header is written as Name: value'
    return urlFault(url.replace(place, 'x')) ?? templateFault(url) ?? templateFault(textOf(settings, 'body'))
  },
  async send(message, settings, tools) {
    const type = textOf(settings, 'type')
    const lines = [...linesOf(settings, 'headers'), textOf(settings, 'secretHeader')]
    const headers = Object.fromEntries(
      lines.flatMap((line) => headerOf(line) ?? []).map(({ name, value }) => [name, value]),
    )
    const method = textOf(settings, 'method') as 'GET' | 'POST' | 'PUT'
    const usual = /json/i.test(type) ? 'json' : /urlencoded/i.test(type) ? 'url' : 'text'
    return exchange(tools, {
      url: filled(textOf(settings, 'url'), message, 'url'),
      method,
      headers: { ...(method !== 'GET' && { 'content-type': type }), ...headers },
      body: method === 'GET' ? '' : filled(textOf(settings, 'body'), message, usual),
    })
  },
}

function headerOf(line: string): { name: string; value: string } | null {
  const found = /^([!#$%&'*+.^_`|~\w-]{1,100}):[ \t]*([\t\x20-\x7e]{0,2000})$/.exec(line.trim())
  return found === null ? null : { name: found[1]!.toLowerCase(), value: found[2]!.trim() }
}
