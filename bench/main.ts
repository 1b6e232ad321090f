import { type BenchOptions, type BenchTable, formatTable } from './table.ts'

/** `optionNames` lists the options of a benchmark; unknown options are rejected. */
type BenchModule = { run(options: BenchOptions): Promise<BenchTable | BenchTable[]>; optionNames?: readonly string[] }

const benchmarks: Record<string, () => Promise<BenchModule>> = {
  crawl: () => import('./crawl.ts'),
  http: () => import('./http.ts'),
  fastfind: () => import('./fastfind.ts'),
  normalise: () => import('./normalise.ts'),
  frontier: () => import('./frontier.ts'),
  mapping: () => import('./mapping.ts'),
  search: () => import('./search.ts'),
  recrawl: () => import('./recrawl.ts'),
  cache: () => import('./cache.ts'),
  schedule: () => import('./schedule.ts'),
  annotate: () => import('./annotate.ts'),
  match: () => import('./match.ts'),
  blocks: () => import('./blocks.ts'),
  changes: () => import('./changes.ts'),
  noise: () => import('./noise.ts'),
  'near-duplicates': () => import('./near-duplicates.ts'),
  update: async () => {
    const { runUpdate: run, optionNames } = await import('./match.ts')
    return { run, optionNames }
  },
  api: () => import('./api.ts'),
  deliver: () => import('./deliver.ts'),
  cluster: () => import('./cluster.ts'),
  citus: () => import('./citus.ts'),
  long: () => import('./long.ts'),
  keepers: () => import('./keepers.ts'),
  leases: () => import('./leases.ts'),
  load: () => import('./leases/load.ts'),
  footprint: () => import('./footprint.ts'),
  fetchers: () => import('./fetchers.ts'),
  order: () => import('./order.ts'),
  fingerprints: () => import('./fingerprints.ts'),
  tables: () => import('./tables.ts'),
  volatile: () => import('./volatile.ts'),
  freshness: () => import('./freshness.ts'),
  keywords: () => import('./keywords.ts'),
}

/** `citus` needs a server that few machines have, `long` takes half an hour. */
const onlyByName = new Set(['citus', 'long'])

const usage = `npm run bench [-- NAME…] [-- --root DIR…] [-- --OPTION VALUE…]
Benchmarks: ${Object.keys(benchmarks).join(', ')}; all but citus and long by default.
Options of crawl: --pages 20000 --hosts 8 --seed 1 --peers wget2,scrapy,crawlee --rounds 1 --slow-pages 3000
                  --fetchers 256 --per-host 8 --threads 2 --again yes
                  --root DIR… or --root debian (packages of documentation), --server nginx or origin
Options of http: --requests 10000 --hosts 8 --per-host 8 --rounds 5 --mean-bytes 33000
Options of mapping: --mapped-hosts 10000 --delay 30 --fetchers 16 --threads 2 --rounds 3
Options of search: --documents 100000 --crawl-pages 2000
Options of blocks: --pages 20 --rounds 40
Options of changes: --pairs 16 --rounds 20
Options of noise: --documents 25
Options of near-duplicates: --documents 1000 --rewrites 1000 --template-pages 500 --texts 1000000 --look-ups 2000
                    --stores SQLite,PostgreSQL
Options of api: --annotations 1000000 --users 50 --seconds 20 --streams 1000 --quick yes
Options of deliver: --users 1000 --annotations 100000 --burst 1 --digest-users 10000 --digest-items 10 --plain 5000 --rounds 60
                    --parts mixed,digests,outbox --stores SQLite,PostgreSQL
Options of cluster: --workers 1,2,4,8 --latency 200 --wide-hosts 400 --wide-fetchers 4 --window 15 --cpu-pages 20000 --cpu-hosts 8
                    --bodies folder,s3
Options of keepers: --pages 4000 --rounds 3
Options of citus: --programs /usr/lib/postgresql/15/bin --nodes 2 --pages 5000 --hosts 40 --pairs 3 --threads 1 (only where Citus is installed)
Options of long: --only crawl,watch --pages 1000000 --hosts 10000 --page-bytes 8000 --links 40 --seed 1 --latency-ms MS --samples 20
                 --fetchers 128 --per-host 8 --threads 2
                 --sources 100000 --source-hosts 10000 --hours 24 --every-hours 4 --changes-per-hour 50 (of 1,000) --speed 120
Options of fingerprints: --documents 200000 --page-bytes 4000
Options of leases: --holders 1,10,100 --partitions 256,4096 --seed 1
Options of order: --pages 2000 --links 8 --seed 18 --orders breadth,importance
Options of footprint: --pages 10000 --hosts 50 --page-bytes 34000
Options of fetchers: --messages 300 --files 300 --rows 2000 --rounds 3 --feeds 1000 --feed-hosts 100 --polls 4
                     --only mail,news,ftp,file,postgres,mariadb,sqlite,query,feeds --fetchers 128 --per-host 8 --threads 2
Options of tables: --chains 4 --lists 125 --articles 3 --page-bytes 30000 --latency-ms 50 --per-host 32 --rounds 2 --seed 1
Options of volatile: --pages 1000 --page-bytes 40000 --latency-ms 50 --bytes-per-second 1250000 --per-host 8 --seed 1
Options of keywords: --sentences 3000 --keywords 2000 --root DIR… (folders of message catalogues and pages of the manual)
Options of freshness: --pages 10000 --watchers 19875 --days 30 --seeds 3 --only ¼ ×,1 ×,4 ×,log-normal`

type CommandLine = BenchOptions & { names: string[]; errors: string[] }

function readCommandLine(args: string[]): CommandLine {
  const line: CommandLine = { names: [], roots: [], values: {}, errors: [] }
  for (let at = 0; at < args.length; at++) {
    const [name, inline] = args[at]!.split(/=(.*)/s)
    if (name === undefined || name === '--') continue
    if (!name.startsWith('--')) {
      if (Object.hasOwn(benchmarks, name)) line.names.push(name)
      else line.errors.push(`unknown benchmark ${name}`)
      continue
    }
    const value = inline ?? args[++at]
    if (value === undefined) line.errors.push(`${name} needs a value`)
    else if (name === '--root') line.roots.push(value)
    else line.values[name.slice(2)] = value
  }
  return line
}

const line = readCommandLine(process.argv.slice(2))
if (process.argv.includes('--help')) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const chosen: BenchModule[] = []
if (line.errors.length === 0)
  for (const name of line.names.length > 0
    ? line.names
    : Object.keys(benchmarks).filter((each) => !onlyByName.has(each)))
    chosen.push(await benchmarks[name]!())
const taken = new Set(chosen.flatMap((benchmark) => benchmark.optionNames ?? []))
for (const name of Object.keys(line.values))
  if (chosen.length > 0 && !taken.has(name)) line.errors.push(`unknown option --${name} for these benchmarks`)
if (line.errors.length > 0) {
  process.stderr.write(`${[...line.errors, usage].join('\n')}\n`)
  process.exit(2)
}
for (const { run } of chosen)
  for (const table of [await run({ roots: line.roots, values: line.values })].flat())
    process.stdout.write(`${formatTable(table)}\n`)
