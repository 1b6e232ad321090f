import assert from 'node:assert/strict'
import { WML_TYPE } from '../../../xml/wml.ts'
import type { TestServer } from '../../server.testkit.ts'

/** A WAP phone: it shows one deck, fills in variables, follows links, sends POSTs, and may support cookies. */
export function createPhone({ server }: Pick<TestServer, 'server'>, { takesCookies }: { takesCookies: boolean }) {
  const agent = 'Nokia7110/1.0 (04.80)'
  const cookies = new Map<string, string>()
  const typed = new Map<string, string>()
  const decks: string[] = []
  let [url, deck] = ['', '']

  async function load(method: 'GET' | 'POST', target: string, payload?: string): Promise<void> {
    const { pathname, search } = new URL(target, `http://phone.example${url}`)
    url = pathname + search
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await server.inject({
      ...{ method, url },
      headers: {
        'user-agent': agent,
        accept: 'text/vnd.wap.wml, text/vnd.wap.wmlscript, image/vnd.wap.wbmp',
        ...(cookie === '' ? {} : { cookie }),
        ...(payload === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(payload === undefined ? {} : { payload }),
    })
    for (const { name, value } of answer.cookies as { name: string; value: string }[]) {
      if (!takesCookies) continue
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    if (answer.statusCode === 302) return load('GET', String(answer.headers.location))
    assert.ok([200, 404].includes(answer.statusCode), `${answer.statusCode} ${answer.payload}`)
    assert.equal(answer.headers['content-type'], WML_TYPE)
    assert.equal(answer.headers['cache-control'], 'no-store')
    deck = answer.payload
    decks.push(deck)
    if (deck.includes('newcontext="true"')) typed.clear()
  }

  async function tap(label: string): Promise<void> {
    const end = `>${label.replace(/[()]/g, '\\$&')}`
    const link = new RegExp(`<a href="([^"]*)"${end}</a>`).exec(deck)?.[1]
    if (link !== undefined) return load('GET', shown(link))
    const post = new RegExp(`<anchor${end}<go href="([^"]*)" method="post"[^>]*>(.*?)</go></anchor>`, 's').exec(deck)
    assert.ok(post !== null, `${label} in ${deck}`)
    const fields = [...post[2]!.matchAll(/<postfield name="([^"]*)" value="([^"]*)"\/>/g)]
    const values = fields.map(([, name, value]): [string, string] => [
      name!,
      shown(value!).replace(/\$\((\w+)\)/g, (_, variable) => typed.get(variable) ?? ''),
    ])
    await load('POST', shown(post[1]!), new URLSearchParams(values).toString())
  }

  return {
    decks,
    open: (path: string) => load('GET', path),
    tap,
    type: (name: string, value: string) => void typed.set(name, value),
    typed,
    get url() {
      return url
    },
    get deck() {
      return deck
    },
    /** The visible text. */
    get text() {
      return shown(deck.replace(/<\/p>|<br\/>/g, '\n').replace(/<[^>]*>/g, ''))
        .replace(/\n+/g, '\n')
        .trim()
    },
  }
}

function shown(text: string): string {
  return text
    .replaceAll('$$', '$')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
