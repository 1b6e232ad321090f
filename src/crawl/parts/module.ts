import type { AnswerKind } from './answer.ts'
import type { RewindableBody } from './rewindable-body.ts'

/**
 * A processing module (Mercator 3, step 6). It runs in its own thread and gets the pages of its media types one by one. Delivery is at least
 * once: after a crash, or after the module's thread was ended for a fault, pages since its last checkpoint are delivered again.
 */
export type ProcessingModule<State = unknown> = Checkpointed<State> & {
  readonly name: string
  /** Media types it processes: `text/html`, `image/*`, or all if empty. */
  readonly types?: readonly string[]
  /** `pages` (default): every visited page, changed or not; `changes`: new versions only; `all`: also errors and redirects. */
  readonly answers?: 'pages' | 'changes' | 'all'
  process(page: Page, tools: ModuleTools): Promise<void> | void
}

/** Checkpoint support of a part. The state is anything that `structuredClone` can copy. */
export type Checkpointed<State> = {
  /** Returns the state that has to survive the process. Called between pages, never while one is processed. */
  snapshot?(): State
  /** Called before the first page if there is a checkpoint to resume from. */
  restore?(state: State): void
  /** Called when the crawl is over. Its return value becomes part of the crawl's result, at most 64 KB of JSON. */
  end?(tools: ModuleTools): Promise<unknown> | unknown
}

export type Page = {
  readonly url: string
  /** The page that links here; '' for a seed. */
  readonly parent: string
  readonly kind: AnswerKind
  /** HTTP status; 0 if there was no answer. Other protocols have 200 for what was read. */
  readonly status: number
  /** Error code as listed in docs/errors.md; '' for pages. */
  readonly reason: string
  /** Media type in lower case, without parameters; '' if the server sent none. */
  readonly type: string
  /** In the order received, names as sent. Empty for errors and redirects. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Absolute target of a redirect; '' for no redirect. */
  readonly location: string
  /** When it was fetched, in milliseconds since 1970. */
  readonly fetchedAt: number
  /** Without content encoding. Empty for errors and redirects. */
  readonly body: RewindableBody
  /** It was longer than `crawl.maxBody` allows. */
  readonly isCut: boolean
  /** The visible text; '' for types without text. */
  text(): Promise<string>
  title(): Promise<string>
  /** Absolute http(s) and other URLs, each once, before any filter. */
  links(): Promise<readonly string[]>
}

export type ModuleTools = {
  /** Aborted when the time limit of the page is reached. */
  readonly signal: AbortSignal
  /** The folder for results, `parts.output` in the configuration. Created on first use. */
  folder(): string
  log(level: 'debug' | 'info' | 'warn', message: string): void
}
