import type { RewindableBody } from './rewindable-body.ts'

/**
 * A processing module (Mercator 3, step 6). It runs in a thread of its own and is given the pages of its media types one by one. Delivery is
 * at least once: after a crash, or after the module's thread was ended for a fault, pages since its last checkpoint are given again.
 */
export type ProcessingModule<State = unknown> = Checkpointed<State> & {
  readonly name: string
  /** Media types it is for: `text/html`, `image/*`, or all if empty. */
  readonly types?: readonly string[]
  /** Also given answers without a page to keep: errors (4xx, 5xx) and redirects. Only pages by default. */
  readonly answers?: 'pages' | 'all'
  process(page: Page, tools: ModuleTools): Promise<void> | void
}

/** How a part takes part in checkpoints. The state is anything that `structuredClone` copies. */
export type Checkpointed<State> = {
  /** What has to outlive the process. Called between two pages, never while one is processed. */
  snapshot?(): State
  /** Called before the first page if there is a checkpoint of an interrupted crawl. */
  restore?(state: State): void
  /** The crawl is over. What it returns is in the result of the crawl, at most 64 KB of JSON. */
  end?(tools: ModuleTools): Promise<unknown> | unknown
}

export type Page = {
  readonly url: string
  /** The page that links here; '' for a seed. */
  readonly parent: string
  /** HTTP status; 0 where the protocol has none. */
  readonly status: number
  /** Media type in small letters, without parameters; '' if the server named none. */
  readonly type: string
  /** In the order that they came in, names as sent. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Where it redirects to, absolute; '' for no redirect. */
  readonly location: string
  /** When it was fetched, in milliseconds since 1970. */
  readonly fetchedAt: number
  /** Decoded: without content encoding. */
  readonly body: RewindableBody
  /** It was longer than `crawl.maxBody` allows. */
  readonly isCut: boolean
  /** What a reader sees; '' for types without text. Found when it is asked for. */
  text(): Promise<string>
  title(): Promise<string>
  /** Absolute URLs, each once, before filters. */
  links(): Promise<readonly string[]>
}

export type ModuleTools = {
  /** Aborted when the time for the page is over. */
  readonly signal: AbortSignal
  /** A folder for results, as `parts.output` says; made if it is missing. */
  readonly folder: string
  log(level: 'debug' | 'info' | 'warn', message: string): void
}
