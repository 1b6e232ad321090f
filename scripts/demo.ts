// The whole system with a small changing news site of its own and three ready profiles: `npm run demo`. No network is needed.
import { parseArgs } from 'node:util'
import { startDemo } from './demo/run-demo.ts'

const usage = `npm run demo [-- OPTIONS]
  --port N        port of eRACE (default: 7070; 0 takes a free one)
  --data DIR      keep everything in this folder (default: a fresh one that is removed at the end)
  --period SECS   seconds between two things that happen on the site (default: 4)
  --seed N        other news (default: 1)
  --site-port N   port of the site (default: a free one)`

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '7070' },
    data: { type: 'string' },
    period: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    'site-port': { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
})

const verbs = { new: 'appeared', corrected: 'was corrected', withdrawn: 'was withdrawn' }
const say = (text: string): void => void process.stdout.write(`${text}\n`)

if (values.help) say(usage)
else process.exitCode = await run()

async function run(): Promise<number> {
  const [port, periodMs, seed, sitePort] = [
    numberOf('port', values.port, 0, 65_535),
    numberOf('period', values.period, 0.05, 3600) * 1000,
    numberOf('seed', values.seed, 0, 2 ** 31),
    numberOf('site-port', values['site-port'], 0, 65_535),
  ]
  const ending = Promise.withResolvers<'asked'>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.resolve('asked'))
  const demo = await startDemo({
    dataDir: values.data ?? null,
    port,
    sitePort,
    periodMs,
    seed,
    onEvent: ({ kind, article }) =>
      say(`${new Date().toLocaleTimeString('en-GB')}  ${verbs[kind]}: ${article.headline}`),
  })
  say(`
eRACE is at        ${demo.url}
sign in as         ${demo.email}
with the password  ${demo.password}
it watches         ${demo.siteUrl}  (a paper of this demo)
its data are in    ${demo.dataDir}

Every ${periodMs / 1000} s an article appears, is corrected or goes. Three profiles watch: "Space and science" and "City council" pick
articles by their words, "Front page, every change" tells all that happens. The inbox fills within a minute.
Ctrl-C ends it${values.data === undefined ? ' and removes the data' : ''}.
`)
  const end = await Promise.race([ending.promise, demo.ended])
  const said = demo.said()
  await demo.stop()
  if (end === 'asked') return 0
  process.stderr.write(`erace up ended by itself:\n${said}\n`)
  return 1
}

function numberOf(name: string, text: string, from: number, to: number): number {
  const value = Number(text)
  if (text !== '' && value >= from && value <= to) return value
  process.stderr.write(`--${name} is a number from ${from} to ${to}\n${usage}\n`)
  process.exit(2)
}
