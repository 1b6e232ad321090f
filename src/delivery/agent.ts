import type { Annotation } from '../store/contracts/annotations.ts'

/** Delivers annotations over one kind of channel. One file per agent; `src/app/delivery.ts` registers it. */
export type DeliveryAgent = {
  /** The kind of channel it serves: a channel is named `kind` or `kind:target`. */
  readonly kind: string
  deliver(delivery: Delivery): Promise<DeliveryOutcome>
}

/** `id` stays the same over repeats, so that a receiver can drop what it has seen. */
export type Delivery = { id: string; channel: string; annotation: Annotation }

export type DeliveryOutcome =
  | { kind: 'delivered' }
  /** A later attempt may succeed, not before `afterMs` where the receiver names a time. */
  | { kind: 'later'; reason: string; afterMs?: number }
  | { kind: 'never'; reason: string }
