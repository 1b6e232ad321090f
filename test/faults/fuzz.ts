import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../bench/origin/random.ts'
import { lastLines, startErace } from '../kit/erace.ts'
import { inFolder, runAlone, timed } from './experiment.ts'
import { rootAccount } from './fuzz/callers.ts'
import { commandOf, createCommandRunner, createSamples, faultOfCommand } from './fuzz/commands.ts'
import { createFindings, type Findings, watchLog } from './fuzz/findings.ts'
import { createGate } from './fuzz/gate.ts'
import { nameOf } from './fuzz/operations.ts'
import { codeOf, faultOfAnswer, reaches } from './fuzz/oracle.ts'
import { type FuzzRequest, requestOf } from './fuzz/requests.ts'
import { type Answer, bytesOf, send } from './fuzz/wire.ts'
import { createWorld } from './fuzz/world.ts'
import { growthOf, heapAfterGc, inspectorOf, openFiles, residentBytes } from './process-memory.ts'

/**
 * Valid and mutated requests for every path and method of the OpenAPI document, anonymous, as users and with tokens of every scope;
 * mutated profiles, annotations, OPML and lists of addresses; mutated archives and backups for the commands that read them. There must be
 * no 500, reset, hang or stack trace, no data of another user in any answer, nothing unexpected in the log, and the heap after a garbage
 * collection must not grow.
 *
 * Every input is derived from the seed and its number alone. A failing one is printed with `SEED:NUMBER` and written to the folder
 * `failures`; `--replay SEED:NUMBER` (or `SEED:FROM-TO`) sends it again.
 */
const defaults = {
  minutes: 60,
  /** Maximum number of requests; 0 to be limited by time only. */
  requests: 0,
  seed: 1,
  /** Concurrent requests. */
  parallel: 4,
  /** Interval between two samples of the heap. */
  sampleSeconds: 120,
  maxGrowth: 0.05,
  replay: '',
  failures: '',
  keep: false,
}
type FuzzOptions = typeof defaults

/** Maximum CPU time of a request. Wall time would include other programs. */
const BUSY_LIMIT_MS = 5000
/** Timeout for an answer or the end of a command. */
const HANG_MS = 60_000
/** Every 16th number is a command; all others are requests. */
const COMMAND_EVERY = 16
const isCommand = (number: number): boolean => number % COMMAND_EVERY === 0
/** Clean up after this many requests. */
const TIDY_EVERY = 250
const MAX_SIGNED_OUT = 5
const PASSING_THREADS = /(collector|background|indexer)-thread/

type Sample = {
  seconds: number
  requests: number
  commands: number
  heapMB: number
  mainHeapMB: number
  residentMB: number
  files: number
}

const settings = {
  NODE_OPTIONS: '--inspect=127.0.0.1:0',
  ERACE_ADMIN_EMAIL: rootAccount.email,
  ERACE_ADMIN_PASSWORD: rootAccount.password,
  ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  ERACE_SCHEDULE_MINEVERY: '5s',
  ERACE_CRAWL_DELAY: '0',
  ERACE_CRAWL_DELAYFACTOR: '0',
  ERACE_SERVER_REQUESTSPERMINUTE: '1000000',
}

export function runFuzz(given: Partial<FuzzOptions> = {}) {
  const options = { ...defaults, ...given }
  return inFolder('fuzz', options.keep, (folder) => timed(() => fuzz(folder, options)))
}

async function fuzz(folder: string, options: FuzzOptions) {
  const findings = createFindings(options.failures)
  const up = startErace(['up', '--json', '--port', '0', '--data', join(folder, 'data')], settings)
  watchLog(up.child.stderr!, (line) => findings.add(`logged: ${line}`))
  const closing: (() => Promise<unknown>)[] = []
  try {
    const inspector = await inspectorOf(up.child)
    const { url } = await up.ready<{ url: string }>()
    const { world, ...setting } = await createWorld(url)
    closing.push(setting.close)
    const samples = await createSamples(folder)
    const commands = createCommandRunner(folder, samples, HANG_MS)
    closing.push(commands.close)
    const pid = up.child.pid!
    const { report, ...inputs } = createInputs({ url, pid, world, setting, samples, commands, findings })

    if (options.replay === '') await run()
    else
      for (const [seed, number] of replayed(options.replay))
        await (isCommand(number) ? inputs.runCommand : inputs.sendRequest)(seed, number)

    async function run(): Promise<void> {
      const startedAt = performance.now()
      const endAt = startedAt + options.minutes * 60_000
      const isEnough = (): boolean => options.requests > 0 && report.requests >= options.requests
      const isOver = (): boolean => performance.now() > endAt || isEnough() || !up.isRunning()
      let next = 1
      let sampleAt = startedAt + options.sampleSeconds * 1000

      async function sendRequests(): Promise<void> {
        while (!isOver()) {
          if (isCommand(next)) next++
          const number = next++
          await inputs.sendRequest(options.seed, number)
          const isTime = number % TIDY_EVERY === TIDY_EVERY - 1 || performance.now() > sampleAt
          if (isTime) await inputs.alone(tidy)
          else if (inputs.signedOut() > MAX_SIGNED_OUT) await inputs.alone(setting.restoreCallers)
        }
      }

      async function runCommands(): Promise<void> {
        for (let number = COMMAND_EVERY; !isOver(); number += COMMAND_EVERY)
          await inputs.runCommand(options.seed, number)
      }

      async function tidy(): Promise<void> {
        for (const wrong of await setting.tidy()) findings.add(wrong)
        if (performance.now() < sampleAt) return
        const { allBytes, mainBytes } = await heapAfterGc(inspector, PASSING_THREADS)
        const sample: Sample = {
          seconds: Math.round((performance.now() - startedAt) / 1000),
          requests: report.requests,
          commands: report.commands,
          heapMB: Math.round(allBytes / 10_000) / 100,
          mainHeapMB: Math.round(mainBytes / 10_000) / 100,
          residentMB: Math.round(residentBytes(pid) / 1_000_000),
          files: openFiles(pid),
        }
        report.samples.push(sample)
        sampleAt = performance.now() + options.sampleSeconds * 1000
        process.stderr.write(`${JSON.stringify(sample)}\n`)
      }

      await Promise.all([runCommands(), ...Array.from({ length: options.parallel }, sendRequests)])
      if (up.isRunning()) await tidy()
    }

    const growth = growthOf(report.samples.slice(Math.floor(report.samples.length / 3)).map(({ heapMB }) => heapMB))
    const heapGrowth = `${(growth * 100).toFixed(2)} %`
    if (growth > options.maxGrowth) findings.add(`the heap grew by ${heapGrowth}`)
    const end = await up.stop()
    if (end.exitCode !== 0) findings.add(`the service ended with ${end.exitCode}: ${lastLines(end)}`)
    return { seed: options.seed, ...report, heapGrowth, faultCount: findings.count(), faults: findings.faults }
  } finally {
    if (up.isRunning()) await up.stop('SIGKILL')
    for (const close of closing) await close()
  }
}

type World = Awaited<ReturnType<typeof createWorld>>
type InputDeps = {
  url: string
  pid: number
  world: World['world']
  setting: Pick<World, 'credentialsOf' | 'secrets'>
  samples: Awaited<ReturnType<typeof createSamples>>
  commands: Pick<ReturnType<typeof createCommandRunner>, 'run'>
  findings: Pick<Findings, 'addInput'>
}

/** Sends the inputs and checks the answers. */
function createInputs({ url, pid, world, setting, samples, commands, findings }: InputDeps) {
  const { host, port } = new URL(url)
  const gate = createGate()
  const report = {
    requests: 0,
    commands: 0,
    statuses: {} as Record<string, number>,
    exits: {} as Record<string, number>,
    /** Number of 503 answers by error code. */
    busy: {} as Record<string, number>,
    slowestMs: 0,
    /** Operations that have never succeeded, and so have hardly been tested. */
    unmet: world.operations.map(nameOf),
    samples: [] as Sample[],
  }
  const count = (counts: Record<string, number>, key: string | number): void => {
    counts[key] = (counts[key] ?? 0) + 1
  }
  let signedOut = 0

  function ask(request: FuzzRequest): Promise<Answer> {
    const { caller, from, mayClose } = request
    const pieces = bytesOf(request, host, setting.credentialsOf(caller))
    return send({ port: Number(port), pieces, limitMs: HANG_MS, from, isCut: mayClose })
  }

  /** A slow answer may be due to other load: repeats the request alone and measures the CPU time of the process. */
  function busyFault(request: FuzzRequest): Promise<string | null> {
    return gate.alone(async () => {
      const before = processorMs(pid)
      const { tookMs } = await ask(request)
      const busyMs = processorMs(pid) - before
      return busyMs > BUSY_LIMIT_MS ? `took ${Math.round(tookMs)} ms, ${busyMs} ms of processor time` : null
    })
  }

  return {
    report,
    /** Number of 401 answers to known callers since something last ran alone. */
    signedOut: () => signedOut,
    alone: (work: () => Promise<void>) =>
      gate.alone(async () => {
        await work()
        signedOut = 0
      }),
    async sendRequest(seed: number, number: number): Promise<void> {
      const request = requestOf(world, randomOf(seed, number))
      const answer = await gate.shared(() => ask(request))
      report.requests++
      report.slowestMs = Math.max(report.slowestMs, Math.round(answer.tookMs))
      count(report.statuses, answer.kind === 'answer' ? answer.status : answer.kind)
      if (answer.kind === 'answer' && answer.status < 300 && reaches(request, world))
        report.unmet = report.unmet.filter((name) => name !== request.operation)
      if (answer.kind === 'answer' && answer.status === 503) count(report.busy, codeOf(answer.body.toString()) ?? '?')
      if (answer.kind === 'answer' && answer.status === 401 && request.caller !== 'nobody') signedOut++
      const wrong =
        faultOfAnswer(request, answer, { secrets: setting.secrets, world }) ??
        (answer.tookMs > BUSY_LIMIT_MS ? await busyFault(request) : null)
      const { body, ...input } = request
      if (wrong !== null) findings.addInput({ seed, number, wrong, input, bytes: body })
    },
    async runCommand(seed: number, number: number): Promise<void> {
      const command = commandOf(samples, world, randomOf(seed, number))
      const outcome = await commands.run(command)
      report.commands++
      count(report.exits, outcome.kind === 'ended' ? outcome.exitCode : outcome.kind)
      const wrong = faultOfCommand(outcome)
      const { bytes, ...input } = command
      if (wrong !== null) findings.addInput({ seed, number, wrong, input, bytes })
    },
  }
}

function randomOf(seed: number, number: number) {
  return createRandom(seed * 1_000_003 + number)
}

/** `SEED:NUMBER` or `SEED:FROM-TO`. */
function replayed(text: string): [seed: number, number: number][] {
  const [seed = 0, from = 0, to = from] = text.split(/[:-]/).map(Number)
  return Array.from({ length: to - from + 1 }, (_, n) => [seed, from + n])
}

/** CPU time of all threads. Linux only. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

if (import.meta.main)
  await runAlone(defaults, (given) => runFuzz({ seed: Math.floor(Math.random() * 1_000_000), ...given }))
