import type { NodeState } from '../../store/rules/node-state.ts'
import type { ClusterSnapshot } from '../engine.ts'
import { formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'
import { type ClusterRates, type NodeRow, ratesOf, rowsOf } from './top-figures.ts'

export type TopSize = { columns: number; rows: number }

export type TopView = {
  /** Some seconds ago, for rates. */
  before: ClusterSnapshot | null
  snapshot: ClusterSnapshot
  leaseMs: number
  size: TopSize
  colour: boolean
  /** Place of the node that keys work on. */
  selected: number
  /** A question, what was done, or what is wrong; the keys where it is empty. */
  message: string
  help: boolean
}

type Paint = (text: string, code: string) => string

const colours: Record<NodeState, string> = { running: '32', draining: '33', paused: '33', behind: '33', lost: '31' }
const keyWords = 'q quit  ? help  j/k select  d drain  p pause'

const helpLines = [
  'Keys',
  '  down, j     next node               up, k    the one before',
  '  d           drain the node: its partitions go to others, and it takes no',
  '              new ones; once more lets it take part again',
  '  p           pause the crawl of the whole cluster, or resume it',
  '  r           look again now',
  '  q, Ctrl-C   quit; the cluster goes on',
  '',
  'States',
  '  behind      its signs of life are late',
  '  lost        it gave none for longer than a lease; others have its work',
  '  paused      somebody paused the crawl, or the store takes none of its writes',
  '',
  'REF: writes that came too late and were thrown away.   Any key closes this.',
]

/** What the monitor shows: exactly as many lines as the terminal has, none wider than it. */
export function topLines(view: TopView): string[] {
  const { size, colour } = view
  const paint: Paint = (text, code) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
  const head = headLines(view, paint)
  const foot = footLines(view, paint)
  const room = Math.max(0, size.rows - head.length - foot.length)
  const body = view.help ? helpLines.map((line) => cut(line, size.columns)) : nodeLines(view, room, paint)
  const filled = [...body.slice(0, room), ...Array<string>(Math.max(0, room - body.length)).fill('')]
  return [...head, ...filled, ...foot].slice(0, size.rows)
}

/** The same for a file or a pipe: all nodes, as wide as need be. */
export function topReport(snapshot: ClusterSnapshot, leaseMs: number): string {
  const rows = snapshot.nodes.length + 2
  const view = { before: null, snapshot, leaseMs, size: { columns: 200, rows }, colour: false, selected: -1 }
  const paint: Paint = (text) => text
  const lines = [...headLines({ ...view, message: '', help: false }, paint), '']
  return `${[...lines, ...nodeLines({ ...view, message: '', help: false }, rows, paint)].map((line) => line.trimEnd()).join('\n')}\n`
}

function headLines({ before, snapshot, leaseMs, size }: TopView, paint: Paint): string[] {
  const { run, leader, nodes, freePartitions, queued, seen, hosts, tasks, paused, held } = snapshot
  const rates = ratesOf(before, snapshot, leaseMs)
  const lost = rowsOf(snapshot, leaseMs).filter(({ state }) => state === 'lost').length
  const runWords = run === null ? 'no run yet' : `run ${run.id} ${run.finished ? 'finished' : 'under way'}`
  const leads = leader === '' ? 'nobody leads' : `leader ${printable(leader, 40)}`
  const first = [
    'erace top',
    `${formatCount(nodes.length)} ${nodes.length === 1 ? 'node' : 'nodes'}${lost > 0 ? `, ${lost} lost` : ''}`,
    runWords,
    leads,
  ]
  const free = freePartitions === 0 ? '' : `${freePartitions} partitions free`
  const state = paused
    ? 'PAUSED: nothing is fetched until the crawl is resumed (p)'
    : held
      ? 'HELD: more is new than the annotation can take; fetching goes on when it has caught up'
      : ''
  const lines = [paint(fit(first, size.columns), '1'), fit([...rateWords(rates), free], size.columns)]
  lines.push(
    fit(
      [
        `queue ${formatCount(queued)}`,
        `hosts ${formatCount(hosts)}`,
        `tasks waiting ${formatCount(tasks)}`,
        `seen ${formatCount(seen)}`,
      ],
      size.columns,
    ),
  )
  if (state !== '') lines.push(paint(cut(state, size.columns), '1;33'))
  return lines
}

function rateWords({ pages, bytes, errors }: ClusterRates): string[] {
  return [
    `${rate(pages)} pages/s`,
    bytes === null ? '' : `${formatSize(bytes)}/s`,
    errors === null ? '' : `${rate(errors)} errors/s`,
  ]
}

function footLines({ snapshot, leaseMs, size, selected, message }: TopView, paint: Paint): string[] {
  const node = rowsOf(snapshot, leaseMs)[selected]
  const about = node === undefined ? '' : `${node.id}${node.lastError === '' ? '' : `: ${node.lastError}`}`
  const words = message === '' ? keyWords : message
  return [
    cut(printable(about, 500), size.columns),
    paint(cut(printable(words, 500), size.columns).padEnd(size.columns), '7'),
  ]
}

type Column = {
  head: string
  width: number
  /** Left out on narrower terminals. */
  from: number
  left?: boolean
  cell(row: NodeRow): string
}

/** What matters most stands in front and is left out last. */
const columnList: readonly Column[] = [
  { head: 'ROLE', width: 6, from: 50, left: true, cell: ({ role }) => role },
  { head: 'HOST:PID', width: 24, from: 110, left: true, cell: ({ host, pid }) => `${tail(host, 16)}:${pid}` },
  { head: 'STATE', width: 8, from: 0, left: true, cell: ({ state }) => state },
  { head: 'PART', width: 4, from: 36, cell: ({ partitions }) => String(partitions) },
  { head: 'PAGES/S', width: 7, from: 0, cell: ({ perSecond }) => rate(perSecond) },
  { head: 'FLY', width: 5, from: 60, cell: ({ inFlight }) => short(inFlight) },
  { head: 'QUEUE', width: 6, from: 44, cell: ({ queued }) => short(queued) },
  { head: 'ERRORS', width: 6, from: 66, cell: ({ errors }) => short(errors) },
  { head: 'REF', width: 4, from: 72, cell: ({ refused }) => short(refused) },
  { head: 'MEMORY', width: 7, from: 80, cell: ({ rssBytes }) => (rssBytes === 0 ? '-' : formatSize(rssBytes)) },
  { head: 'LAG', width: 5, from: 56, cell: ({ lagMs }) => lag(lagMs) },
]
const ERRORS_FROM = 132
const MIN_NAME = 8
const MAX_NAME = 32

function nodeLines(view: TopView, room: number, paint: Paint): string[] {
  const { snapshot, leaseMs, size, selected } = view
  const rows = rowsOf(snapshot, leaseMs)
  if (rows.length === 0) return ['', cut('  No node has joined yet: erace worker --store … starts one.', size.columns)]
  const shown = columnList.filter(({ from }) => size.columns >= from)
  const taken = shown.reduce((sum, { width }) => sum + width + 1, 2)
  const withErrors = size.columns >= ERRORS_FROM
  const left = size.columns - taken
  const nameWidth = Math.min(MAX_NAME, Math.max(MIN_NAME, withErrors ? Math.min(left, 24) : left))
  const lineOf = (mark: string, name: string, cells: readonly string[], last: string): string => {
    const padded = cells.map((text, i) => pad(text, shown[i]!.width, shown[i]!.left === true))
    return cut(
      [`${mark}${pad(name, nameWidth, true)}`, ...padded, ...(withErrors ? [last] : [])].join(' '),
      size.columns,
    )
  }
  const head = lineOf(
    '  ',
    'NODE',
    shown.map(({ head }) => head),
    ' LAST ERROR',
  )
  const first = Math.max(0, Math.min(selected - Math.floor((room - 1) / 2), rows.length - (room - 1)))
  const stateAt = shown.findIndex(({ head }) => head === 'STATE')
  const lines = rows.slice(first, first + Math.max(0, room - 1)).map((row, i) => {
    const isSelected = first + i === selected
    const cells = shown.map(({ cell }) => printable(cell(row), 100))
    const line = lineOf(isSelected ? '> ' : '  ', printable(row.name, 100), cells, ` ${printable(row.lastError, 300)}`)
    if (isSelected) return paint(line, '7')
    const at = 2 + nameWidth + 1 + shown.slice(0, stateAt).reduce((sum, { width }) => sum + width + 1, 0)
    return line.slice(0, at) + paint(line.slice(at, at + 8), colours[row.state]) + line.slice(at + 8)
  })
  return [paint(head, '2'), ...lines]
}

function fit(pieces: readonly string[], width: number): string {
  let line = ''
  for (const piece of pieces.filter((text) => text !== '')) {
    const longer = line === '' ? piece : `${line}  ${piece}`
    if (longer.length > width) break
    line = longer
  }
  return line
}

const cut = (text: string, width: number): string => (text.length > width ? text.slice(0, Math.max(0, width)) : text)

function pad(text: string, width: number, left: boolean): string {
  const short = text.length > width ? `${text.slice(0, width - 1)}…` : text
  return left ? short.padEnd(width) : short.padStart(width)
}

const tail = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

const rate = (value: number): string => (value >= 100 ? formatCount(Math.round(value)) : value.toFixed(1))

/** Four digits and a unit. */
function short(value: number): string {
  if (value < 10_000) return String(Math.round(value))
  if (value < 999_500) return `${Math.round(value / 1000)}k`
  return value < 1e9 ? `${(value / 1e6).toFixed(1)}M` : `${(value / 1e9).toFixed(1)}G`
}

const lag = (ms: number): string => (ms < 9_950 ? `${(ms / 1000).toFixed(1)}s` : formatSpan(ms / 1000))
