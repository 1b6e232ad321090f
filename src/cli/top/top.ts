import type { ValidationError } from '../../config/validation-errors.ts'
import { nodeStateOf } from '../../store/rules/node-state.ts'
import { refuseWords } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes, type Option } from '../command.ts'
import type { ClusterControl } from '../engine.ts'
import { printable } from '../output/terminal-text.ts'
import { runMonitor } from './top-monitor.ts'
import { topReport } from './top-screen.ts'

const options: readonly Option[] = [
  { name: 'once', about: 'print one report and exit (the default without a terminal and with --json)' },
  {
    name: 'drain',
    argument: 'NODE',
    about: 'drain a node (id or unique name): hand over all its partitions',
  },
  { name: 'undrain', argument: 'NODE', about: 'put a drained node back to work' },
  { name: 'pause', about: 'pause the crawl on all nodes; requests in flight are finished' },
  { name: 'resume', about: 'resume the crawl' },
]
const actions = ['drain', 'undrain', 'pause', 'resume'] as const
type Action = (typeof actions)[number]

export const command: Command = {
  name: 'top',
  group: 'Cluster',
  works: 'on a shared store',
  summary: 'monitor a cluster live, drain a node, pause the crawl',
  usage: '',
  options,
  examples: [
    { line: 'erace top --store postgres://erace@db/erace', about: 'live view; press ? for the keys' },
    { line: 'erace top --json', about: 'one report as JSON' },
    { line: 'erace top --drain worker-3', about: 'before you stop a machine; other nodes take its partitions' },
    { line: 'erace top --pause', about: 'stop fetching until erace top --resume' },
  ],
  async prepare(context, errors) {
    const { positionals } = context
    refuseWords(positionals, 'top takes no arguments', errors)
    const action = actionOf(context, errors)
    return () =>
      withControl(context, (control) => (action === null ? watch(context, control) : act(context, control, action)))
  },
}

function actionOf({ options }: CommandContext, errors: ValidationError[]): Action | null {
  const given = actions.filter((name) => options.flag(name) || options.text(name) !== undefined)
  if (given.length > 1)
    errors.push({ place: given.map((name) => `--${name}`).join(' '), message: 'use only one of them' })
  for (const name of ['drain', 'undrain'])
    if (options.text(name) === '') errors.push({ place: `--${name}`, message: 'needs the id or name of a node' })
  return given[0] ?? null
}

async function withControl(
  { engine, target }: CommandContext,
  work: (control: ClusterControl) => Promise<number>,
): Promise<number> {
  const control = await engine.control(target)
  try {
    return await work(control)
  } finally {
    await control.close()
  }
}

async function watch(context: CommandContext, control: ClusterControl): Promise<number> {
  const { io, json, options, config } = context
  const { leaseMs } = config.cluster
  const first = await control.snapshot()
  const isLive = io.stdout.isTTY === true && io.keyboard.isThere && !json && !options.flag('once')
  if (isLive) return runMonitor(context, control, first)
  const nodes = first.nodes.map((node) => ({ ...node, state: nodeStateOf(node, { leaseMs, paused: first.paused }) }))
  io.stdout.write(json ? `${JSON.stringify({ ...first, nodes })}\n` : topReport(first, leaseMs))
  return exitCodes.done
}

async function act({ io, json, options }: CommandContext, control: ClusterControl, action: Action): Promise<number> {
  const report = (result: object, words: string): number => {
    io.stdout.write(json ? `${JSON.stringify(result)}\n` : `${words}\n`)
    return exitCodes.done
  }
  if (action === 'pause' || action === 'resume') {
    const paused = action === 'pause'
    await control.pause(paused)
    return report({ paused }, paused ? 'crawl paused; erace top --resume continues it' : 'crawl resumed')
  }
  const draining = action === 'drain'
  const node = await control.drain(options.text(action)!, draining)
  const words = draining ? 'is draining: it hands over its partitions and takes no new ones' : 'is back at work'
  return report({ node, draining }, `${printable(node, 200)} ${words}`)
}
