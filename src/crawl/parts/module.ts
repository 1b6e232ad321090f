import type { AnswerKind } from './answer.ts'
import type { RewindableBody } from './rewindable-body.ts'

/**
 * A processing module (Mercator 3, step 6). It runs in a thread of its own and is given the pages of its media types one by one. Delivery is
 * at least once: after a crash, or after the module's thread was ended for a fault, pages since its last checkpoint are given again.
 */
export type ProcessingModule<State = unknown> = Checkpointed<State> & {
  readonly name: string
  /** Media types it is for: `text/html`, `image/*`, or all if empty. */
  readonly types?: readonly string[]
  /** `pages` (default): every page that is visited, changed or not; `changes`: new versions only; `all`: also errors and redirects. */
  readonly answers?: 'pages' | 'changes' | 'all'
  process(page: Page, tools: ModuleTools): Promise<void> | void
}

/** How a part takes part in checkpoints. The state is anything that `structuredClone` copies. */
export type Checkpointed<State> = {
  /** What has to outlive the process. Called between two pages, never while one is processed. */
  snapshot?(): State
  /** Called before the first page if there is a checkpoint to go on from. */
  restore?(state: State): void
  /** The crawl is over. What it returns is in the result of the crawl, at most 64 KB of JSON. */
  end?(tools: ModuleTools): Promise<unknown> | unknown
}

export type Page = {
  readonly url: string
  /** The page that links here; '' for a seed. */
  readonly parent: string
  readonly kind: AnswerKind
  /** HTTP status; 0 where there was no answer. Other protocols have 200 for what was read. */
  readonly status: number
  /** Why it failed, as docs/errors.md has it; '' for pages. */
  readonly reason: string
  /** Media type in small letters, without parameters; '' if the server named none. */
  readonly type: string
  /** In the order that they came in, names as sent. None for errors and redirects. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Where it redirects to, absolute; '' for no redirect. */
  readonly location: string
  /** When it was fetched, in milliseconds since 1970. */
  readonly fetchedAt: number
  /** Without content encoding. Empty for errors and redirects. */
  readonly body: RewindableBody
  /** It was longer than `crawl.maxBody` allows. */
  readonly isCut: boolean
  /** What a reader sees; '' for types without text. */
  text(): Promise<string>
  title(): Promise<string>
  /** Absolute http(s) and other URLs, each once, before any filter. */
  links(): Promise<readonly string[]>
}

export type ModuleTools = {
  /** Aborted when the time for the page is over. */
  readonly signal: AbortSignal
  /** The folder for results, `parts.output` in the configuration. Made when it is asked for. */
  folder(): string
  log(level: 'debug' | 'info' | 'warn', message: string): void
}
