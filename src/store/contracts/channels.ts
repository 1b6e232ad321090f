/**
 * Delivery channels of users: their settings and health. What is to be sent is in `deliveries.ts`.
 *
 * States: `active`; `failing` after several consecutive failures, retried from `retryAt` on until a message arrives; `off`, switched
 * off by its owner. The settings contain secrets: pass them to the agent only.
 */
export type ChannelStore = {
  add(channel: ChannelDraft): Promise<Channel>
  /** In the order they were added. */
  list(owner: string): Promise<Channel[]>
  find(id: string): Promise<Channel | null>
  /** False if the owner has no such channel. */
  change(owner: string, id: string, to: ChannelChange): Promise<boolean>
  /** Records the result of the last message. */
  note(id: string, health: ChannelHealth): Promise<void>
  remove(owner: string, id: string): Promise<boolean>
  /** Totals over all owners, per kind of channel. `waiting` counts annotations not yet sent. */
  figures(): Promise<ChannelFigures[]>
}

export type ChannelFigures = { kind: string; channels: number; failing: number; waiting: number }

export type ChannelDraft = {
  id: string
  owner: string
  kind: string
  name: string
  settings: ChannelSettings
  createdAt: number
}

/** In the format of the channel's agent. */
export type ChannelSettings = Readonly<Record<string, unknown>>

export const channelStates = ['active', 'failing', 'off'] as const
export type ChannelState = (typeof channelStates)[number]

export type ChannelHealth = {
  state: ChannelState
  /** Why the last message did not arrive; '' if it did. */
  reason: string
  /** Consecutive failures. */
  failures: number
  /** 0 if it may be used at once. */
  retryAt: number
  /** When a message last arrived; 0 for never. */
  sentAt: number
}

export type Channel = ChannelDraft & ChannelHealth

/** Changing the settings or switching the channel on clears earlier failures. */
export type ChannelChange = { name?: string; settings?: ChannelSettings; state?: 'active' | 'off' }
