import type { ValidationError } from '../../config/validation-errors.ts'
import type { ChannelAgent, ServiceFacts, Settings } from '../../delivery/channel-agent.ts'
import { readSettings } from '../../delivery/settings.ts'
import { hostOf, type TargetCheck } from './target-check.ts'

/** The owner of channels. `isAdministrator` applies to this request: a token may have fewer rights than its owner. */
export type ChannelOwner = { owner: string; isAdministrator: boolean }

export type ReadChannelSettings =
  /** `made`: the secrets generated here. */
  | { kind: 'read'; settings: Settings; made: Readonly<Record<string, string>> }
  | { kind: 'invalid'; errors: ValidationError[] }

export type SettingsReaderDeps = {
  service: ServiceFacts
  targets: Pick<TargetCheck, 'errors'>
  hasProfile(owner: string, id: string): Promise<boolean>
}

/** Reads the settings of a channel, checking what the owner may use. Error messages never contain a secret. */
export function createSettingsReader({ service, targets, hasProfile }: SettingsReaderDeps) {
  return async (
    agent: ChannelAgent,
    { owner, isAdministrator }: ChannelOwner,
    given: unknown,
    known: Settings | null,
  ): Promise<ReadChannelSettings> => {
    const filled = agent.kind === 'email' ? withOwnAddress(given, owner) : given
    const { settings, errors, made } = readSettings(agent, filled, known ?? {}, service)
    if (errors.length > 0) return { kind: 'invalid', errors: [...errors] }
    const wrong = [...targets.errors(agent, settings), ...movedSecrets(agent, settings, { given, known })]
    if (agent.kind === 'email' && !isAdministrator) wrong.push(...foreignAddress(settings, owner))
    if (agent.kind === 'feed' && typeof settings.profile === 'string' && settings.profile !== '')
      if (!(await hasProfile(owner, settings.profile)))
        wrong.push({ place: 'settings.profile', message: 'you have no such profile' })
    return wrong.length > 0 ? { kind: 'invalid', errors: wrong } : { kind: 'read', settings, made }
  }
}

/** Mail goes to the owner by default. */
function withOwnAddress(given: unknown, owner: string): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const { to } = given as { to?: unknown }
  return to === undefined || to === null || to === '' ? { ...given, to: owner } : given
}

/** The mail server of the service may only send to its own users. */
function foreignAddress({ to, server }: Settings, owner: string): ValidationError[] {
  if (server !== undefined || (typeof to === 'string' && to.toLowerCase() === owner)) return []
  const message = `without a mail server of your own, mail goes to the address of your account, ${owner}`
  return [{ place: 'settings.to', message }]
}

/**
 * A stored secret must not be sent to another host than it was given for: someone who may change a channel but doesn't know its secret
 * could learn it that way. Generated secrets never leave.
 */
function movedSecrets(
  { settings: fields }: ChannelAgent,
  settings: Settings,
  { given, known }: { given: unknown; known: Settings | null },
): ValidationError[] {
  if (known === null) return []
  const isMoved = fields.some(
    ({ name, type }) =>
      type !== 'secret' && hostOf(settings[name]) !== null && originOf(settings[name]) !== originOf(known[name]),
  )
  if (!isMoved) return []
  return fields
    .filter(({ name, type, fresh }) => type === 'secret' && fresh === undefined && isKept(name, given, known))
    .map(({ name, label }) => ({ place: `settings.${name}`, message: `the address changed; enter "${label}" again` }))
}

function isKept(name: string, given: unknown, known: Settings): boolean {
  if (!Object.hasOwn(known, name)) return false
  const value = Object.hasOwn(given as object, name) ? (given as Record<string, unknown>)[name] : undefined
  return value === undefined || value === null || value === ''
}

function originOf(value: unknown): string {
  return typeof value === 'string' ? (URL.parse(value.replaceAll(/\{\{[^}]*\}\}/g, 'x'))?.origin ?? '') : ''
}
