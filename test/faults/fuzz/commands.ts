import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Random } from '../../../bench/origin/random.ts'
import { startErace } from '../../kit/erace.ts'
import { createChangingPages } from '../../site/handler-site.ts'
import type { CommandCall, CommandEnd } from './command-host.ts'
import { xmlDocument } from './documents.ts'
import { jsonText, mutateBytes, mutateValue } from './odd-values.ts'
import type { World } from './operations.ts'
import { profileExample } from './schema-values.ts'

/** A command on a mutated file. */
export type FuzzCommand = {
  args: string[]
  /** The mutated file, relative to the folder of the run. */
  file: string
  bytes: Buffer
  /** Runs on a copy of the archive that contains the file. */
  needsArchive: boolean
}

export type CommandOutcome = (CommandEnd & { kind: 'ended' }) | { kind: 'hang' | 'died'; detail: string }

const recordPieces = [
  'WARC/1.1\r\n',
  'WARC/9.9\r\n',
  'Content-Length: 99999999999\r\n',
  'Content-Length: -1\r\n',
  'WARC-Type: revisit\r\n',
  'WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n',
  'WARC-Target-URI: http://a.invalid/\u0000\r\n',
  'Transfer-Encoding: chunked\r\nContent-Encoding: br, gzip\r\n',
  '\r\n\r\n',
  '\n',
  '\u001f\u008b\b',
]

export type Samples = { archive: string; files: string[]; urls: string[]; backups: string[] }

/** Small WARC files, so that some are closed and compressed. */
const sampleSettings = { ERACE_NETWORK_ALLOW: '127.0.0.0/8', ERACE_CRAWL_DELAY: '0', ERACE_ARCHIVE_MAXFILE: '64KB' }

/** A small archive and its backups, created by the program itself. */
export async function createSamples(folder: string): Promise<Samples> {
  const links = Array.from({ length: 12 }, (_, n) => `/page-${n}`)
  const site = await createChangingPages({
    '/': { words: 'java', links },
    ...Object.fromEntries(links.map((path, n) => [path, { words: `java research ${n} `.repeat(200 * n) }])),
  })
  const archive = join(folder, 'archive-data')
  const run = async (...args: string[]): Promise<void> => {
    const end = await startErace([...args, '--json'], sampleSettings).ended
    if (end.exitCode !== 0) throw new Error(`${args.join(' ')}: ${end.stdout} ${end.stderr}`)
  }
  await run('crawl', `${site.origin}/`, '--depth', '1', '--data', archive)
  await site.close()
  const backups = ['a.tar', 'a.tar.gz', 'a.tar.zst'].map((name) => join(folder, name))
  for (const file of backups) await run('backup', file, '--data', archive)
  const files = readdirSync(join(archive, 'archive')).map((name) => join('archive', name))
  return { archive, files, urls: [`${site.origin}/`, `${site.origin}/page-3`], backups }
}

/** The command with this number. */
export function commandOf(samples: Samples, world: World, random: Random): FuzzCommand {
  const json = random.below(2) === 0 ? ['--json'] : []
  const owner = ['--owner', 'ann@example.org']
  switch (random.below(6)) {
    case 0: {
      const action = random.pick([['validate'], ['import', ...owner]])
      const value = profileExample(world, random)
      const bytes = Buffer.from(jsonText(random.below(4) === 0 ? [value] : mutateValue([value], random)))
      const [verb, ...rest] = action
      return { args: ['profile', verb!, 'f.json', ...rest, ...json], file: 'f.json', bytes, needsArchive: false }
    }
    case 1: {
      const [verb, ...rest] = random.pick([['validate'], ['import', ...owner], ['import']])
      const bytes = xmlDocument(random, ['profile', 'urd'])
      return { args: ['profile', verb!, 'f.xml', ...rest, ...json], file: 'f.xml', bytes, needsArchive: false }
    }
    case 2: {
      const [verb, ...rest] = random.pick([['validate'], ['import', ...owner], ['import', '--unread']])
      const bytes = xmlDocument(random, ['aci'])
      return { args: ['aci', verb!, 'f.xml', ...rest, ...json], file: 'f.xml', bytes, needsArchive: false }
    }
    case 3: {
      const sample = random.pick(samples.backups)
      const file = sample.slice(sample.lastIndexOf('/') + 1)
      const bytes =
        file.endsWith('.gz') && random.below(20) === 0
          ? inflating(readFileSync(sample))
          : mutateBytes(readFileSync(sample), random, ['../../x', 'ustar', '0000777', '\0'.repeat(512)])
      return { args: ['restore', file, '--data', 'restored', ...json], file, bytes, needsArchive: false }
    }
    default: {
      const file = random.pick(samples.files)
      const sample = readFileSync(join(samples.archive, file))
      const bytes =
        file.endsWith('.gz') && random.below(20) === 0 ? inflating(sample) : mutateBytes(sample, random, recordPieces)
      return { args: [...archiveCommand(samples, random), ...json], file, bytes, needsArchive: true }
    }
  }
}

/** The first half of a compressed file, followed by a decompression bomb. */
function inflating(sample: Buffer): Buffer {
  bomb ??= gzipSync(Buffer.alloc(256 * 1024 * 1024, 'WARC/1.1\r\n'))
  return Buffer.concat([sample.subarray(0, Math.floor(sample.length / 2)), bomb])
}

let bomb: Buffer | undefined

function archiveCommand({ urls }: Samples, random: Random): string[] {
  return random.pick([
    ['verify'],
    ['verify', '--repair'],
    ['export', 'warc', 'out.warc.gz', '--force'],
    ['export', 'cdxj', 'out.cdxj', '--force'],
    ['export', 'meta', 'out.xml', '--force'],
    ['export', 'links', 'out.csv', '--force'],
    ['show', random.pick(urls), '--text'],
    ['show', random.pick(urls)],
    ['history', random.pick(urls)],
    ['search', 'java'],
    ['status'],
    ['gc'],
  ])
}

const COMMANDS_PER_HOST = 300

/** Runs commands in a process that is replaced from time to time, and whenever a command hangs. */
export function createCommandRunner(folder: string, samples: Samples, limitMs: number) {
  let host: ChildProcess | null = null
  let count = 0
  const work = join(folder, 'work')

  async function run({ args, file, bytes, needsArchive }: FuzzCommand): Promise<CommandOutcome> {
    rmSync(work, { recursive: true, force: true })
    mkdirSync(work)
    const data = join(work, needsArchive ? 'data' : args.includes('restored') ? 'restored' : 'empty')
    if (needsArchive) cpSync(samples.archive, data, { recursive: true })
    writeFileSync(join(needsArchive ? data : work, file), bytes)
    const place = (word: string): string => (/^(f|out|a)\.[a-z.]+$/.test(word) ? join(work, word) : word)
    const all = args.map(place).filter((word, at) => word !== 'restored' && args[at] !== '--data')
    return call({ args: [...all, '--data', data] })
  }

  async function call(command: CommandCall): Promise<CommandOutcome> {
    if (++count % COMMANDS_PER_HOST === 0) await close()
    host ??= fork(new URL('./command-host.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    const running = host
    let said = ''
    const listen = (text: Buffer): void => {
      said = (said + text).slice(-3000)
    }
    running.stderr!.on('data', listen)
    const timer = new AbortController()
    const { signal } = timer
    running.send(command)
    const outcome = await Promise.race([
      once(running, 'message', { signal }).then(([end]): CommandOutcome => ({ kind: 'ended', ...(end as CommandEnd) })),
      once(running, 'exit', { signal }).then(([code]): CommandOutcome => ({ kind: 'died', detail: `${code} ${said}` })),
      pause(limitMs, undefined, { signal }).then((): CommandOutcome => ({ kind: 'hang', detail: said })),
    ])
    timer.abort()
    running.stderr!.off('data', listen)
    if (outcome.kind !== 'ended') await close()
    return outcome
  }

  async function close(): Promise<void> {
    if (host === null) return
    const ending = host
    host = null
    if (ending.exitCode !== null || ending.signalCode !== null) return
    ending.kill('SIGKILL')
    await once(ending, 'exit')
  }

  return { run, close }
}

/** Why the end of a command is a fault; null if it is none. */
export function faultOfCommand(outcome: CommandOutcome): string | null {
  if (outcome.kind !== 'ended') return `${outcome.kind}: ${outcome.detail}`
  const { exitCode, stdout, stderr, thrown } = outcome
  if (thrown !== null) return `threw: ${thrown}`
  if (exitCode !== 0 && exitCode !== 1 && exitCode !== 2) return `ended with ${exitCode}`
  const text = stdout + stderr
  if (/^\s+at .*:\d+:\d+\)?$/m.test(text) || /"stack"|\\n {4}at /.test(text))
    return `stack trace: ${text.slice(0, 500)}`
  if (/internal error|TypeError|RangeError|SqliteError/.test(text)) return `internal error: ${text.slice(0, 500)}`
  if (exitCode !== 0 && text.trim() === '') return `ended with ${exitCode} and no message`
  return null
}
