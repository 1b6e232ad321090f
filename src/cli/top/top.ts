import type { ValidationError } from '../../config/validation-errors.ts'
import { nodeStateOf } from '../../store/rules/node-state.ts'
import { type Command, type CommandContext, exitCodes, type Option } from '../command.ts'
import type { ClusterControl } from '../engine.ts'
import { printable } from '../output/terminal-text.ts'
import { runMonitor } from './top-monitor.ts'
import { topReport } from './top-screen.ts'

const options: readonly Option[] = [
  { name: 'once', about: 'print one report and end (so it is without a terminal, and with --json)' },
  {
    name: 'drain',
    argument: 'NODE',
    about: 'let a node (id, or a name that only one has) hand over all its partitions',
  },
  { name: 'undrain', argument: 'NODE', about: 'let it take part again' },
  { name: 'pause', about: 'pause the crawl of all nodes; what is under way is finished' },
  { name: 'resume', about: 'let it go on' },
]
const actions = ['drain', 'undrain', 'pause', 'resume'] as const
type Action = (typeof actions)[number]

export const command: Command = {
  name: 'top',
  group: 'Cluster',
  works: 'on a shared store',
  summary: 'live monitor of a cluster: nodes, partitions, rates, queue, errors; drain a node, pause the crawl',
  usage: '',
  options,
  examples: [
    { line: 'erace top --store postgres://erace@db/erace', about: 'look on; ? shows the keys' },
    { line: 'erace top --json', about: 'one report for a program' },
    { line: 'erace top --drain worker-3', about: 'before a machine is taken away; its partitions go to others' },
    { line: 'erace top --pause', about: 'nothing is fetched until erace top --resume' },
  ],
  async prepare(context, errors) {
    const { positionals } = context
    for (const word of positionals) errors.push({ place: word.slice(0, 60), message: 'top takes no arguments' })
    const action = actionOf(context, errors)
    return () =>
      withControl(context, (control) => (action === null ? snapshot(context, control) : act(context, control, action)))
  },
}

function actionOf({ options }: CommandContext, errors: ValidationError[]): Action | null {
  const given = actions.filter((name) => options.flag(name) || options.text(name) !== undefined)
  if (given.length > 1)
    errors.push({ place: given.map((name) => `--${name}`).join(' '), message: 'one of them at a time' })
  for (const name of ['drain', 'undrain'])
    if (options.text(name) === '') errors.push({ place: `--${name}`, message: 'needs the id or the name of a node' })
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

async function snapshot(context: CommandContext, control: ClusterControl): Promise<number> {
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
  const tell = (result: object, words: string): number => {
    io.stdout.write(json ? `${JSON.stringify(result)}\n` : `${words}\n`)
    return exitCodes.done
  }
  if (action === 'pause' || action === 'resume') {
    const paused = action === 'pause'
    await control.pause(paused)
    return tell({ paused }, paused ? 'the crawl is paused; erace top --resume lets it go on' : 'the crawl goes on')
  }
  const draining = action === 'drain'
  const node = await control.drain(options.text(action)!, draining)
  const words = draining ? 'hands over its partitions and takes no new ones' : 'takes part again'
  return tell({ node, draining }, `${printable(node, 200)} ${words}`)
}
