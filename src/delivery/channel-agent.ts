import type { Clock } from '../core/clock.ts'
import type { Message } from './render/message.ts'

/**
 * Delivers messages over one kind of channel. One file per agent, listed in `registry.ts`. Also describes its settings, for forms,
 * validation and the docs.
 */
export type ChannelAgent = {
  readonly kind: string
  /** Display name. */
  readonly label: string
  /** One-sentence description for the form and the docs. */
  readonly about: string
  readonly settings: readonly SettingField[]
  /**
   * Maximum number of items in a digest, and what happens to the rest. `count`: the digest only states their number, since people find
   * them in their inbox. `next`: another message follows, since programs must not miss any.
   */
  readonly digest: { readonly maxItems: number; readonly rest: 'count' | 'next' }
  /** Readers fetch the channel themselves; nothing is ever sent to it. */
  readonly isPull?: boolean
  /** The browser supplies the settings when its user subscribes; there is no form for them. */
  readonly isByBrowser?: boolean
  /** Only administrators may use this kind of channel. */
  readonly isForAdministrators?: boolean
  /** Validates the settings as a whole, once each is valid. Returns the error, or null. `service` is omitted if it is not known. */
  check?(settings: Settings, service?: ServiceFacts): string | null
  /** Resolves to an outcome for failures, too; an exception counts as `later`. */
  send(message: Message, settings: Settings, tools: AgentTools): Promise<SendOutcome>
}

export type SettingField = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** A `secret` is never shown again. `lines`: a list with one item per line. */
  readonly type: 'text' | 'secret' | 'url' | 'email' | 'number' | 'flag' | 'choice' | 'lines' | 'long'
  readonly isRequired?: boolean
  readonly choices?: readonly string[]
  readonly usual?: string | number | boolean
  /** Generates a value if none is given. */
  readonly fresh?: () => string
  /** Internal: users can neither set nor see it, and it is kept when the others change. */
  readonly isHidden?: boolean
}

/** Facts about the service that channel settings are validated against. */
export type ServiceFacts = {
  /** Programs that the administrator allows to run. */
  readonly commands: readonly string[]
  readonly hasMailServer: boolean
}

export type Settings = Readonly<Record<string, string | number | boolean | readonly string[]>>

export type SendOutcome =
  /** `answer` is the receiver's response. */
  | { readonly kind: 'delivered'; readonly answer: string }
  /** A retry may succeed, but not before `afterMs` if the receiver sets a time. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs?: number }
  /** `isGone`: the receiver no longer exists, so its channel is switched off. */
  | { readonly kind: 'never'; readonly reason: string; readonly isGone?: boolean }

/** Keys that identify this service to push services. */
export type PushKeys = { readonly publicKey: string; readonly privateKey: string }

/** Timeouts for the connection and for the response after it; their sum is well below the lease of a channel. */
export type SendLimits = { readonly connectMs: number; readonly answerMs: number }

export const usualLimits: SendLimits = { connectMs: 10_000, answerMs: 20_000 }

export type AgentTools = {
  /** Refuses private addresses, follows no redirects, and reads no more of an answer than is needed to understand it. */
  http: HttpSender
  /** Resolves to an address of a host that the guard allows; throws if there is none. */
  resolve(host: string): Promise<string>
  /** The mail server of the service; '' if it has none. */
  mail: { readonly server: string; readonly from: string }
  /** CA certificate to verify mail servers with, instead of the default ones. */
  mailAuthority?: string
  /** Programs that the administrator allows to run, as absolute paths. */
  commands: readonly string[]
  /** `subject` is the contact address of this service for operators of push services. */
  push: PushKeys & { readonly subject: string }
  limits: SendLimits
  clock: Clock
}

export type HttpSender = (request: HttpRequest) => Promise<HttpAnswer>

export type HttpRequest = {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export type HttpAnswer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}
