import type { MediaReader } from '../../../archive/media/media-reader.ts'
import type { Source } from '../../../core/profile.ts'
import type { OmitRules } from '../../../core/text/omit-rules.ts'
import type { Fetcher } from '../../../crawl/fetch/fetcher.ts'
import type { Protocol, ProtocolLimits } from '../../../crawl/fetch/protocol.ts'
import type { RobotsGate } from '../../../crawl/worker/visit/robots-gate.ts'

/** Everything needed to fetch sources, for one try. */
export type Reach = {
  fetch: Fetcher['fetch']
  /** Null if robots.txt isn't obeyed. */
  robots: { gate: RobotsGate; agent: string } | null
  /** Null for plain HTTP. */
  protocolOf(url: string, render: Source['render']): Protocol | null
  resolve(host: string): Promise<string>
  media: Pick<MediaReader, 'converts' | 'read'>
  omitFor(url: string): OmitRules | null
  limits: ProtocolLimits
  close(): Promise<void>
}
