import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { lastLines, readResult, startErace } from '../test/kit/erace.ts'
import { createHandlerSite } from '../test/site/handler-site.ts'

/** Runs the command of each README against a small site, and compares the outcome with the README. */
const root = new URL('.', import.meta.url).pathname
const names = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('library-'))
  .map(({ name }) => name)

/** 2 by 3 pixels; only the header. */
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000020000000308020000001216f14d', 'hex')
const gif = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')

const page = (title: string, body: string): string =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>\n`

const pages = new Map([
  [
    '/',
    page('Home', '<p>Welcome.</p><a href="/second">Second</a><a href="/third">Third</a><a href="/missing">Lost</a>'),
  ],
  [
    '/second',
    page(
      'Second',
      '<p>Text of the second page.</p><ul id="list"></ul><a href="/moved">m</a><a href="/circle">c</a><a href="/missing">x</a><a href="/calendar/2026/">d</a>',
    ),
  ],
  [
    '/third',
    page(
      'Third',
      '<img src="/red.png"><img src="/dot.gif" alt="a dot"><a href="/red.png">r</a><a href="/dot.gif">g</a>',
    ),
  ],
  ['/calendar/2026/', page('Calendar', '<a href="/">Home</a>')],
])

const site = await createHandlerSite((path, response) => {
  const html = pages.get(path)
  if (html !== undefined) return void response.end(html)
  if (path === '/red.png') return void response.setHeader('content-type', 'image/png').end(png)
  if (path === '/dot.gif') return void response.setHeader('content-type', 'image/gif').end(gif)
  const to = path === '/moved' ? '/missing' : path === '/circle' ? '/back' : path === '/back' ? '/circle' : null
  if (to !== null) return void response.writeHead(302, { location: to }).end()
  response.writeHead(404).end('not here')
})

/** A finger server with two users. */
const fingerServer = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', (query) => {
    const user = query.toString('latin1').trim()
    const plan = user === '' ? 'ann  Ann Example\r\nbob  Bob Example\r\n' : `Login: ${user}\r\nPlan: to be crawled\r\n`
    socket.end(plan)
  })
}).listen(0, '127.0.0.1')
await new Promise((resolve) => fingerServer.once('listening', resolve))
const { port } = fingerServer.address() as { port: number }

after(async () => {
  fingerServer.close()
  await site.close()
})

/** The command in the README and its expected outcome. */
function readmeOf(name: string) {
  const text = readFileSync(join(root, name, 'README.md'), 'utf8')
  const command = /```sh\n(erace [^\n]+)\n```/.exec(text)?.[1]
  assert.ok(command !== undefined, `${name}/README.md has no command`)
  const [, kind, what, expected] = /<!-- (output|result): (.*?) -->\n```\n(.*?)```/s.exec(text) ?? []
  assert.ok(kind !== undefined && what !== undefined && expected !== undefined, `${name}/README.md promises nothing`)
  return { words: command.split(' ').slice(1), kind, what, expected }
}

describe('examples', () => {
  for (const name of names)
    test(`${name} does what its README says`, async () => {
      const { words, kind, what, expected } = readmeOf(name)
      // As for a user: a separate folder with the package installed.
      const folder = mkdtempSync(join(tmpdir(), 'erace-example-'))
      try {
        cpSync(join(root, name), folder, { recursive: true })
        writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
        mkdirSync(join(folder, 'node_modules'))
        symlinkSync(join(root, '..'), join(folder, 'node_modules', 'erace'))
        symlinkSync(join(root, '..', 'node_modules', 'parse5'), join(folder, 'node_modules', 'parse5'))
        const args = words.map((word) =>
          word.startsWith('https://')
            ? `${site.origin}/`
            : word.startsWith('finger://')
              ? `finger://127.0.0.1:${port}/`
              : word,
        )
        const options = ['--json', '--delay', '0', '--allow-net', '127.0.0.0/8', '--threads', '1']
        const end = await startErace([...args, ...options], {}, folder).endWithin(60_000)
        const result = readResult(end)
        assert.ok(result !== undefined && end.exitCode === 0, `${end.exitCode} ${end.stdout} ${lastLines(end, 20)}`)
        const printed =
          kind === 'output'
            ? readFileSync(join(folder, what), 'utf8').replaceAll(site.origin, 'SITE')
            : what
                .split(', ')
                .map((key) => `${key} ${valueAt(result, key)}\n`)
                .join('')
        assert.equal(printed, expected)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
})

function valueAt(result: Record<string, unknown>, key: string): unknown {
  return key.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], result)
}
