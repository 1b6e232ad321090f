// `npm run demo`: the whole system with a small sample news site that changes by itself and three ready profiles. Needs no network.
import { parseArgs } from 'node:util'
import { startDemo } from './demo/run-demo.ts'

const usage = `npm run demo [-- OPTIONS]
  --port N        port for eRACE (default: 7070; 0 picks a free one)
  --data DIR      data folder (default: a temporary one, removed at the end)
  --period SECS   seconds between two events on the site (default: 10)
  --seed N        seed for the generated articles (default: 1)
  --site-port N   port for the sample site (default: a free one)`

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '7070' },
    data: { type: 'string' },
    period: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    'site-port': { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
})

const print = (text: string): void => void process.stdout.write(`${text}\n`)

if (values.help) print(usage)
else process.exitCode = await run()

async function run(): Promise<number> {
  const [port, periodMs, seed, sitePort] = [
    numberOf('port', values.port, 0, 65_535),
    numberOf('period', values.period, 0.05, 3600) * 1000,
    numberOf('seed', values.seed, 0, 2 ** 31),
    numberOf('site-port', values['site-port'], 0, 65_535),
  ]
  const stopping = Promise.withResolvers<'stopped'>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.resolve('stopped'))
  const demo = await startDemo({
    dataDir: values.data ?? null,
    port,
    sitePort,
    periodMs,
    seed,
    onEvent: (about) => print(`${new Date().toLocaleTimeString('en-GB')}  ${about}`),
  })
  print(`
eRACE is at        ${demo.url}
sign in as         ${demo.email}
with the password  ${demo.password}
sample news site   ${demo.siteUrl}
data folder        ${demo.dataDir}

Every ${periodMs / 1000} s something changes: an article, a price, a notice, the ferry. Three profiles watch the site: "Space and science" and
"City council" select articles by keyword, "Around town" reports every change of a shop, a notice board, a feed and some JSON, and
goes quiet about a visitor counter by itself. The first changes are in the inbox within a minute.
Press Ctrl-C to stop${values.data === undefined ? ' and remove the data' : ''}.
`)
  const end = await Promise.race([stopping.promise, demo.ended])
  const log = demo.lastLines()
  await demo.stop()
  if (end === 'stopped') return 0
  process.stderr.write(`erace up ended unexpectedly:\n${log}\n`)
  return 1
}

function numberOf(name: string, text: string, from: number, to: number): number {
  const value = Number(text)
  if (text !== '' && value >= from && value <= to) return value
  process.stderr.write(`--${name} must be a number from ${from} to ${to}\n${usage}\n`)
  process.exit(2)
}
