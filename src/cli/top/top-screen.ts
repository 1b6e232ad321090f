import type { NodeReport } from '../../store/contracts/cluster/nodes.ts'
import { type NodeState, nodeStateOf, problemOf, statOf } from '../../store/rules/node-state.ts'
import type { ClusterSnapshot } from '../engine.ts'
import { formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

export type TopSize = { columns: number; rows: number }

export type TopView = {
  /** From some seconds ago, for rates. */
  before: ClusterSnapshot | null
  snapshot: ClusterSnapshot
  leaseMs: number
  size: TopSize
  colour: boolean
  /** Index of the selected node. */
  selected: number
  /** A question, a result or an error; the key list is shown when it is empty. */
  message: string
  help: boolean
}

type Paint = (text: string, code: string) => string

const colours: Record<NodeState, string> = {
  running: '32',
  waiting: '33',
  draining: '33',
  paused: '33',
  behind: '33',
  lost: '31',
}
const keyWords = 'q quit  ? help  j/k select  d drain  p pause'

const helpLines = [
  'Keys',
  '  down, j     next node               up, k    previous node',
  '  d           drain the node: other nodes take its partitions, and it takes',
  '              no new ones; press again to put it back to work',
  '  p           pause or resume the crawl of the whole cluster',
  '  r           refresh now',
  '  q, Ctrl-C   quit; the cluster keeps running',
  '',
  'States',
  '  behind      its heartbeat is late',
  '  lost        no heartbeat for longer than a lease; others took its work',
  '  paused      the crawl is paused, or the store rejects its writes',
  '  waiting     something keeps failing and is retried; the last line says what',
  '',
  'REF: writes rejected because they came too late.   Press any key to close.',
]

/** The screen: exactly as many lines as the terminal has, none wider. */
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

/** The same for a file or a pipe: all nodes, with a fixed width. */
export function topReport(snapshot: ClusterSnapshot, leaseMs: number): string {
  const rows = snapshot.nodes.length + 2
  const view = { before: null, snapshot, leaseMs, size: { columns: 200, rows }, colour: false, selected: -1 }
  const paint: Paint = (text) => text
  const lines = [...headLines({ ...view, message: '', help: false }, paint), '']
  return `${[...lines, ...nodeLines({ ...view, message: '', help: false }, rows, paint)].map((line) => line.trimEnd()).join('\n')}\n`
}

function headLines({ before, snapshot, leaseMs, size }: TopView, paint: Paint): string[] {
  const { run, leader, nodes, freePartitions, queued, seen, hosts, tasks, paused, held, problem } = snapshot
  const rates = ratesOf(before, snapshot, leaseMs)
  const lost = rowsOf(snapshot, leaseMs).filter(({ state }) => state === 'lost').length
  const runWords = run === null ? 'no run yet' : `run ${run.id} ${run.finished ? 'finished' : 'running'}`
  const leads = leader === '' ? 'no leader' : `leader ${printable(leader, 40)}`
  const first = [
    'erace top',
    `${formatCount(nodes.length)} ${nodes.length === 1 ? 'node' : 'nodes'}${lost > 0 ? `, ${lost} lost` : ''}`,
    runWords,
    leads,
  ]
  const free = freePartitions === 0 ? '' : `${freePartitions} unassigned partitions`
  const state = paused
    ? 'PAUSED: press p to resume the crawl'
    : held
      ? 'THROTTLED: fetching waits until matching catches up'
      : ''
  const lines = [paint(fit(first, size.columns), '1'), fit([...rateWords(rates), free], size.columns)]
  lines.push(
    fit(
      [
        `queue ${formatCount(queued)}`,
        `hosts ${formatCount(hosts)}`,
        `to process ${formatCount(tasks)}`,
        `seen ${formatCount(seen)}`,
      ],
      size.columns,
    ),
  )
  const heavy = heavyWords(snapshot)
  if (heavy.length > 0) lines.push(fit(['longest queues:', ...heavy], size.columns))
  if (state !== '') lines.push(paint(cut(state, size.columns), '1;33'))
  if (problem !== null)
    lines.push(paint(cut(`counts are not current: ${printable(problem, size.columns)}`, size.columns), '1;33'))
  return lines
}

/** Each host is fetched by one thread at its own pace, so a host with much of the queue delays the end of a crawl. */
const HEAVY_SHARE = 0.05
const HEAVY_REQUESTS = 100

function heavyWords({ heavyHosts, queued }: ClusterSnapshot): string[] {
  return heavyHosts
    .filter((host) => host.queued >= HEAVY_REQUESTS && host.queued >= queued * HEAVY_SHARE)
    .map((host) => `${printable(host.host, 60)} ${formatCount(host.queued)}`)
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
  /** Hidden on narrower terminals. */
  from: number
  left?: boolean
  cell(row: NodeRow): string
}

/** The most important columns come first; narrow terminals drop the others. */
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
  if (rows.length === 0)
    return ['', cut('  No node has joined yet; start one with erace worker --store …', size.columns)]
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

/** A node as the monitor shows it. */
type NodeRow = {
  id: string
  name: string
  role: string
  host: string
  pid: number
  state: NodeState
  partitions: number
  perSecond: number
  inFlight: number
  queued: number
  errors: number
  refused: number
  rssBytes: number
  lagMs: number
  lastError: string
}

/** Over all live nodes; null while there is only one snapshot. */
type ClusterRates = { pages: number; bytes: number | null; errors: number | null }

export function rowsOf({ nodes, paused }: ClusterSnapshot, leaseMs: number): NodeRow[] {
  return nodes.map((node) => {
    const state = nodeStateOf(node, { leaseMs, paused })
    const isLost = state === 'lost'
    return {
      id: node.id,
      name: node.name === '' ? node.id : node.name,
      role: node.role,
      host: node.host,
      pid: node.pid,
      state,
      partitions: node.partitions,
      perSecond: isLost ? 0 : statOf(node, 'perSecond'),
      inFlight: isLost ? 0 : statOf(node, 'inFlight'),
      queued: statOf(node, 'queued'),
      errors: statOf(node, 'failed'),
      refused: statOf(node, 'refused'),
      rssBytes: statOf(node, 'rssBytes'),
      lagMs: Math.max(0, node.seenMsAgo),
      lastError: problemOf(node),
    }
  })
}

/**
 * Nodes report totals. The store's clock says how old a node was when it reported them, so two snapshots give exact rates,
 * no matter how far apart they are or what the local clock says. A node in only one of them is ignored.
 */
export function ratesOf(before: ClusterSnapshot | null, after: ClusterSnapshot, leaseMs: number): ClusterRates {
  const pages = rowsOf(after, leaseMs).reduce((sum, { perSecond }) => sum + perSecond, 0)
  if (before === null) return { pages, bytes: null, errors: null }
  const earlier = new Map(before.nodes.map((node) => [node.id, node]))
  let bytes = 0
  let errors = 0
  for (const node of after.nodes) {
    const was = earlier.get(node.id)
    const seconds = was === undefined ? 0 : (ageOf(node) - ageOf(was)) / 1000
    if (was === undefined || seconds <= 0 || node.seenMsAgo > leaseMs) continue
    bytes += Math.max(0, statOf(node, 'bytes') - statOf(was, 'bytes')) / seconds
    errors += Math.max(0, statOf(node, 'failed') - statOf(was, 'failed')) / seconds
  }
  return { pages, bytes, errors }
}

/** Its age at its last heartbeat. */
const ageOf = ({ startedMsAgo, seenMsAgo }: NodeReport): number => startedMsAgo - seenMsAgo
