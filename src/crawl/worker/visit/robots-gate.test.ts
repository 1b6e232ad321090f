import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../../../core/clock.ts'
import { decodeBody } from '../../../core/http/decode-body.ts'
import { defaultOptions, openOne } from '../../../store/conformance/engine.testkit.ts'
import type { FrontierStore } from '../../../store/contracts/frontier.ts'
import { usePostgres } from '../../../store/postgres/testkit/postgres.testkit.ts'
import { postgresEngine } from '../../../store/postgres/testkit/store.testkit.ts'
import { sqliteEngine } from '../../../store/sqlite/testkit/store.testkit.ts'
import { headerList } from '../../fetch/fetch-result.ts'
import { type Answer, startFetcher, startOrigin } from '../../fetch/origin.testkit.ts'
import { createRobotsCache } from '../../robots/robots-cache.ts'
import { createRobotsGate, type RobotsLoad } from './robots-gate.ts'

usePostgres()

function octets(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function sized(body: Buffer, fields = ''): Buffer {
  return Buffer.concat([octets(`HTTP/1.1 200 OK\r\n${fields}Content-Length: ${body.length}\r\n\r\n`), body])
}

/** Loads the rules once, as after the start of a crawl: nothing is in memory. */
async function load(store: FrontierStore, origin: string): Promise<RobotsLoad> {
  const fetcher = startFetcher()
  const gate = createRobotsGate({
    cache: createRobotsCache({ maxEntries: 10, maxBytes: 1 << 20, clock: systemClock }),
    ...{ store, fetcher, clock: systemClock, maxAgeMs: 3_600_000 },
    decode: async ({ body, rawHeaders }, maxBytes) =>
      decodeBody(body, headerList(rawHeaders, 'content-encoding'), maxBytes),
  })
  try {
    return await gate.load(origin)
  } finally {
    await fetcher.close()
  }
}

/** Which of these paths are allowed; null if the file can't be fetched. */
function allowed(loaded: RobotsLoad, paths: string[]): boolean[] | null {
  return loaded.kind === 'unreachable' ? null : paths.map((path) => loaded.rules.isAllowed('erace', path))
}

const KIB_512 = 512 * 1024
/** A file in which the line of `rule` begins `before` bytes before the limit. */
function longFile(before: number, rule: string): Buffer {
  const head = 'User-agent: *\nDisallow: /first\n'
  return octets(`${head}#${'x'.repeat(KIB_512 - before - head.length - 2)}\n${rule}\nDisallow: /late\n`)
}

type Case = { name: string; answer: Answer; paths: string[]; expected: boolean[] | null }

const files: { name: string; reply: Buffer; paths: string[]; expected: boolean[] | null }[] = [
  {
    name: 'a rule in Latin-1',
    reply: sized(octets('User-agent: *\nDisallow: /caf\xe9\n')),
    paths: ['/caf%E9', '/caf%C3%A9', '/'],
    expected: [false, true, true],
  },
  {
    name: 'a rule in UTF-8',
    reply: sized(octets('User-agent: *\nDisallow: /caf\xc3\xa9\n')),
    paths: ['/caf%E9', '/caf%C3%A9', '/café'],
    expected: [true, false, false],
  },
  {
    name: 'half a byte-order mark',
    reply: sized(octets('\xef\xbbUser-agent: *\nDisallow: /private\n')),
    paths: ['/private', '/'],
    expected: [false, true],
  },
  {
    name: 'a line that the limit cuts to "Disallow: /"',
    reply: sized(longFile('Disallow: /'.length, 'Disallow: /private')),
    paths: ['/first', '/', '/private', '/late'],
    expected: [false, true, true, true],
  },
  {
    name: 'a line that ends with the limit',
    reply: sized(longFile('Disallow: /private\n'.length, 'Disallow: /private')),
    paths: ['/first', '/', '/private', '/late'],
    expected: [false, true, false, true],
  },
  {
    name: 'a compressed file beyond the limit',
    reply: sized(gzipSync(longFile('Disallow: /'.length, 'Disallow: /private')), 'Content-Encoding: gzip\r\n'),
    paths: ['/first', '/', '/private', '/late'],
    expected: [false, true, true, true],
  },
  {
    name: 'an unknown encoding',
    reply: sized(octets('User-agent: *\nDisallow:\n'), 'Content-Encoding: rot13\r\n'),
    paths: ['/'],
    expected: null,
  },
  {
    name: 'a compressed file that broke off',
    reply: sized(
      gzipSync(octets('User-agent: *\nDisallow: /private\n'.repeat(50))).subarray(0, -12),
      'Content-Encoding: gzip\r\n',
    ),
    paths: ['/'],
    expected: null,
  },
  {
    name: 'a file shorter than its length',
    reply: octets('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: *\n'),
    paths: ['/'],
    expected: null,
  },
  {
    name: 'a broken chunk',
    reply: octets('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nE\r\nUser-agent: *\n\r\nxx\r\n'),
    paths: ['/'],
    expected: null,
  },
  {
    name: 'a part that nobody asked for',
    reply: octets('HTTP/1.1 206 Partial Content\r\nContent-Length: 0\r\n\r\n'),
    paths: ['/'],
    expected: null,
  },
  { name: 'no content', reply: octets('HTTP/1.1 204 No Content\r\n\r\n'), paths: ['/'], expected: [true] },
]

const cases: Case[] = [
  ...files.map(({ reply, ...rest }) => ({ ...rest, answer: ((socket) => void socket.end(reply)) as Answer })),
  {
    name: 'a file until the end of a connection that is reset',
    answer: (socket) =>
      void socket.write('HTTP/1.0 200 OK\r\n\r\nUser-agent: *\n', () => setImmediate(() => socket.resetAndDestroy())),
    paths: ['/'],
    expected: null,
  },
  {
    name: 'a Location in UTF-8',
    answer(socket, request) {
      if (request.startsWith('GET /robots.txt '))
        socket.end(octets('HTTP/1.1 301 Moved\r\nLocation: /r\xc3\xa8gles.txt\r\nContent-Length: 0\r\n\r\n'))
      else if (request.startsWith('GET /r%C3%A8gles.txt ')) socket.end(sized(octets('User-agent: *\nDisallow: /x\n')))
      else socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
    },
    paths: ['/x', '/'],
    expected: [false, true],
  },
]

type Seen = { first: boolean[] | null; second: boolean[] | null; askedAgain: boolean }

for (const engine of [sqliteEngine, postgresEngine]) {
  describe(`robots.txt before and after a restart (${engine.name})`, () => {
    const seen = new Map<string, Seen>()

    before(async () => {
      const system = await engine.create(defaultOptions)
      const origins = await Promise.all(cases.map(({ answer }) => startOrigin(answer)))
      const askAll = async (): Promise<(boolean[] | null)[]> => {
        const { frontier } = await openOne(system)
        return Promise.all(cases.map(async ({ paths }, at) => allowed(await load(frontier, origins[at]!.url), paths)))
      }
      const first = await askAll()
      const asked = origins.map(({ requests }) => requests.length)
      await system.close()
      const second = await askAll()
      for (const [at, { name }] of cases.entries()) {
        const askedAgain = origins[at]!.requests.length > asked[at]!
        seen.set(name, { first: first[at]!, second: second[at]!, askedAgain })
      }
      await Promise.all(origins.map((origin) => origin.close()))
      await system.destroy()
    })

    for (const { name, expected } of cases) {
      test(name, () => {
        // Rules are stored; a file that could not be fetched is requested again.
        assert.deepEqual(seen.get(name), { first: expected, second: expected, askedAgain: expected === null })
      })
    }
  })
}
