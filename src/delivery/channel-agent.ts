import type { Clock } from '../core/clock.ts'
import type { Message } from './render/message.ts'

/**
 * Delivers messages over one kind of channel. One file per agent, listed in `registry.ts`. It says all that a form, the check of what
 * is given and a table in the docs need.
 */
export type ChannelAgent = {
  readonly kind: string
  /** What people call it. */
  readonly label: string
  /** In a sentence, for the form and the docs. */
  readonly about: string
  readonly settings: readonly SettingField[]
  /**
   * How many items a digest lists. Beyond that, `count`: the rest is counted, since people look into their inbox for it. `next`: another
   * message follows, since programs must miss nothing.
   */
  readonly digest: { readonly maxItems: number; readonly rest: 'count' | 'next' }
  /** Readers fetch it themselves: nothing is ever sent to it. */
  readonly isPull?: boolean
  /** The browser gives the settings when its owner subscribes; no form asks for them. */
  readonly isByBrowser?: boolean
  /** Others may not even try it. */
  readonly isForAdministrators?: boolean
  /** What is wrong with settings that are right one by one; null for nothing. `service` is left out where it is not known. */
  check?(settings: Settings, service?: ServiceFacts): string | null
  /** What goes wrong on the way is an outcome too; what is thrown counts as `later`. */
  send(message: Message, settings: Settings, tools: AgentTools): Promise<SendOutcome>
}

export type SettingField = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** A `secret` is never shown again. `lines`: a list, one on each line. */
  readonly type: 'text' | 'secret' | 'url' | 'email' | 'number' | 'flag' | 'choice' | 'lines' | 'long'
  readonly isRequired?: boolean
  readonly choices?: readonly string[]
  readonly usual?: string | number | boolean
  /** Makes a value where none is given. */
  readonly fresh?: () => string
  /** The program's own: nobody can give it or see it, and it stays when the others change. */
  readonly isHidden?: boolean
}

/** What the settings of a channel may have to fit. */
export type ServiceFacts = {
  /** Programs that the administrator allows to run. */
  readonly commands: readonly string[]
  readonly hasMailServer: boolean
}

export type Settings = Readonly<Record<string, string | number | boolean | readonly string[]>>

export type SendOutcome =
  /** `answer` is what the other side said. */
  | { readonly kind: 'delivered'; readonly answer: string }
  /** A later attempt may succeed, not before `afterMs` where the receiver names a time. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs?: number }
  /** `isGone`: the receiver itself is no longer there, so its channel is switched off. */
  | { readonly kind: 'never'; readonly reason: string; readonly isGone?: boolean }

/** The keys by which push services know this service. */
export type PushKeys = { readonly publicKey: string; readonly privateKey: string }

/** How long a connection may take, and an answer after it: together well within the lease of a channel. */
export type SendLimits = { readonly connectMs: number; readonly answerMs: number }

export const usualLimits: SendLimits = { connectMs: 10_000, answerMs: 20_000 }

export type AgentTools = {
  /** Refuses private addresses, follows no redirects, and reads no more of an answer than is needed to understand it. */
  http: HttpSender
  /** An address of a host that the guard lets through; throws where there is none. */
  resolve(host: string): Promise<string>
  /** The mail server of the service; '' where it has none. */
  mail: { readonly server: string; readonly from: string }
  /** Certificates that mail servers may have, beside the usual ones. */
  mailAuthority?: string
  /** Programs that the administrator allows to run, as absolute paths. */
  commands: readonly string[]
  /** `subject` is an address under which the operators of push services can reach this service's. */
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
