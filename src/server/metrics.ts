import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Meters } from '../services/activity/stats.ts'
import type { DeliveryCount } from '../services/channels/delivery-watch.ts'
import type { ChannelFigures } from '../store/contracts/channels.ts'

export type MetricsDeps = {
  meters(): Meters
  /** Number of open event streams. */
  streams(): number
  /** Channels of all owners by kind. */
  channels(): Promise<readonly ChannelFigures[]>
  /** Messages that this process sent, or tried to. */
  messages(): readonly DeliveryCount[]
}

export type Metrics = {
  /** Measures the requests of all routes added from now on. */
  watch(server: FastifyInstance): void
  text(): Promise<string>
  readonly type: string
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const counters = {
  erace_pages_total: ['Responses read', ({ fetched }: Meters) => fetched],
  erace_bytes_total: ['Bytes read', ({ bytes }: Meters) => bytes],
  erace_errors_total: ['Failed crawl requests', ({ failed }: Meters) => failed],
  erace_annotations_total: ['Annotations created', ({ annotations }: Meters) => annotations],
} as const

const gauges = {
  erace_queue: ['Requests waiting in the frontier', ({ queued }: Meters) => queued],
  erace_in_flight: ['Requests in progress', ({ inFlight }: Meters) => inFlight],
  erace_tasks: ['Versions waiting to be processed', ({ tasks }: Meters) => tasks],
} as const

const channelGauges = {
  erace_channels: ['Delivery channels', ({ channels }: ChannelFigures) => channels],
  erace_channels_failing: ['Delivery channels that fail', ({ failing }: ChannelFigures) => failing],
  erace_deliveries_waiting: ['Annotations that have not left', ({ waiting }: ChannelFigures) => waiting],
} as const

/**
 * For Prometheus, in a separate registry. Labels come from small closed sets: methods, route patterns, status classes,
 * service levels and kinds of channels. No metric reveals a person, an address or a page.
 */
export function createMetrics({ meters, streams, channels, messages }: MetricsDeps): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const [name, [help, read]] of Object.entries(counters)) {
    const counter: Counter = new Counter({ name, help, registers, collect: () => setTo(counter, read(meters())) })
  }
  for (const [name, [help, read]] of Object.entries(gauges)) {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read(meters())) })
  }
  const open: Gauge = new Gauge({
    name: 'erace_event_streams',
    help: 'Open live event streams',
    registers,
    collect: () => open.set(streams()),
  })
  const checks = new Counter({
    name: 'erace_checks_total',
    help: 'Source checks by service level and whether they started before their deadline',
    labelNames: ['level', 'result'],
    registers,
    collect() {
      checks.reset()
      for (const { level, met, missed } of meters().levels) {
        checks.inc({ level, result: 'met' }, met)
        checks.inc({ level, result: 'missed' }, missed)
      }
    },
  })
  addDeliveryMetrics(registers, { channels, messages })
  const requests = new Histogram({
    name: 'erace_http_request_seconds',
    help: 'Response time, without event streams',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  return {
    type: registry.contentType,
    // The library writes missing values in a way that not every client accepts.
    text: async () => (await registry.metrics()).replaceAll(/ Nan$/gm, ' NaN'),
    watch(server) {
      server.addHook('onResponse', async ({ method, routeOptions, is404 }, reply) => {
        if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return
        const route = is404 ? 'none' : (routeOptions.url ?? 'none')
        const status = `${Math.floor(reply.statusCode / 100)}xx`
        requests.observe({ method: known(method), route, status }, reply.elapsedTime / 1000)
      })
    },
  }
}

function addDeliveryMetrics(
  registers: Registry[],
  { channels, messages }: Pick<MetricsDeps, 'channels' | 'messages'>,
): void {
  const sent = new Counter({
    name: 'erace_messages_total',
    help: 'Messages by kind of channel and outcome; retried ones still wait',
    labelNames: ['kind', 'outcome'],
    registers,
    collect() {
      sent.reset()
      for (const { kind, outcome, count } of messages()) sent.inc({ kind, outcome }, count)
    },
  })
  for (const [name, [help, read]] of Object.entries(channelGauges)) {
    const gauge: Gauge = new Gauge({
      ...{ name, help, labelNames: ['kind'], registers },
      async collect() {
        // If the store fails, keep the last figures.
        const figures = await channels().catch(() => null)
        if (figures === null) return
        gauge.reset()
        for (const each of figures) gauge.set({ kind: each.kind }, read(each))
      },
    })
  }
}

function setTo(counter: Counter, value: number): void {
  counter.reset()
  counter.inc(value)
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Unknown methods share one label, so that callers can't add time series. */
const known = (method: string): string => (methods.has(method) ? method : 'other')
