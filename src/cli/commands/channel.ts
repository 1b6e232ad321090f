import { InvalidInputError, type ValidationError } from '../../config/validation-errors.ts'
import { isChannelId } from '../../core/delivery/channel-id.ts'
import type { SettingText } from '../../services/channels/setting-texts.ts'
import { confirm } from '../args/confirm.ts'
import { readOwner, refuseWords } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes } from '../command.ts'
import { addedLines, channelAnswer, kindsHelp, listLines, shown, testLine } from './channel-text.ts'

const actions = ['add', 'list', 'test', 'remove'] as const
type Action = (typeof actions)[number]

export const command: Command = {
  name: 'channel',
  group: 'Watch',
  summary: 'manage delivery channels: mail, webhooks, chat and more',
  usage: 'add|list|test|remove [ID]',
  options: [
    { name: 'kind', argument: 'KIND', about: 'add: what kind of channel; with --help: lists its settings' },
    { name: 'name', argument: 'NAME', about: 'add: what you call it' },
    {
      name: 'set',
      argument: 'NAME=VALUE',
      repeatable: true,
      about: 'add: a setting; the value - is read from standard input, env:NAME from the environment',
    },
    { name: 'owner', argument: 'EMAIL', about: 'add: whose it is, if there are several accounts; list: only theirs' },
    { name: 'yes', short: 'y', about: 'remove: do not ask for confirmation' },
  ],
  examples: [
    {
      line: 'erace channel add --kind webhook --name ops --set url=https://hooks.example.org/erace',
      about: 'prints the id, and once the secret that signs its messages',
    },
    {
      line: 'pass show gotify | erace channel add --kind gotify --name phone --set url=https://push.example.org --set token=-',
      about: 'keeps the secret off the command line; token=env:GOTIFY_TOKEN takes it from the environment',
    },
    { line: 'erace channel add --kind ntfy --help', about: 'lists the settings of one kind' },
    { line: 'erace channel list --owner ada@example.org', about: 'state, what waits, and why a channel fails' },
    {
      line: 'erace channel test c_k3v9tq2m5xw7ab4d',
      about: "prints the other side's answer; exit code 1 if the message did not arrive",
    },
    { line: 'erace channel remove c_k3v9tq2m5xw7ab4d', about: 'also takes it out of profiles and removes its log' },
  ],
  details: async (options, engine) => kindsHelp(await engine.channelKinds(), options.text('kind')),
  async prepare(context, errors) {
    const { options, positionals } = context
    const [word, id, ...rest] = positionals
    const action = actions.find((each) => each === word) ?? null
    if (action === null)
      errors.push({ place: word?.slice(0, 60) ?? 'channel', message: `choose an action: ${actions.join(', ')}` })
    checkOptions(action, options, errors)
    const owner = readOwner(options, errors)
    if (action === 'test' || action === 'remove') {
      refuseWords(rest, `channel ${action} takes one id`, errors)
      const channel = readId(id, errors)
      return () => (action === 'test' ? test(context, channel) : remove(context, channel))
    }
    if (action !== null) refuseWords(positionals.slice(1), `channel ${action} takes options only`, errors)
    if (action !== 'add') return () => list(context, owner)
    const settings = readSettings(context, errors)
    if (options.text('kind') === undefined) {
      errors.push({ place: '--kind', message: 'is missing; erace channel add --help lists the kinds' })
      // With a kind, it is reported together with missing settings.
      if (options.text('name') === undefined) errors.push({ place: '--name', message: 'is missing' })
    }
    return () => add(context, owner, settings)
  },
}

function checkOptions(action: Action | null, options: CommandContext['options'], errors: ValidationError[]): void {
  if (action === null) return
  for (const name of ['kind', 'name', 'set'])
    if (options.text(name) !== undefined && action !== 'add')
      errors.push({ place: `--${name}`, message: 'only valid with add' })
  if (options.text('owner') !== undefined && action !== 'add' && action !== 'list')
    errors.push({ place: '--owner', message: 'only valid with add and list' })
  if (options.flag('yes') && action !== 'remove') errors.push({ place: '--yes', message: 'only valid with remove' })
}

function readId(id: string | undefined, errors: ValidationError[]): string {
  if (id === undefined) errors.push({ place: 'ID', message: 'the id of the channel is missing' })
  else if (!isChannelId(id))
    errors.push({ place: id.slice(0, 60), message: 'expected the id of a channel; erace channel list shows them' })
  return id ?? ''
}

/** `text` is null if it comes from standard input. */
type GivenSetting = { name: string; text: string | null }

/** Errors never show a value, which may be a secret. */
function readSettings({ options, env }: Pick<CommandContext, 'options' | 'env'>, errors: ValidationError[]) {
  const given: GivenSetting[] = []
  for (const pair of options.all('set')) {
    const equals = pair.indexOf('=')
    if (equals < 1) {
      errors.push({ place: '--set', message: 'expected NAME=VALUE' })
      continue
    }
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
    const [, variable] = /^env:(.*)$/s.exec(value) ?? []
    const text = variable === undefined ? value : ((Object.hasOwn(env, variable) ? env[variable] : undefined) ?? '')
    if (variable !== undefined && text === '')
      errors.push({
        place: `--set ${name.slice(0, 60)}`,
        message: `the environment variable ${JSON.stringify(variable.slice(0, 60))} is not set`,
      })
    given.push({ name, text: value === '-' ? null : text })
  }
  if (given.filter(({ text }) => text === null).length > 1)
    errors.push({ place: '--set', message: 'only one value can be read from standard input' })
  return given
}

async function add(context: CommandContext, owner: string | null, given: readonly GivenSetting[]): Promise<number> {
  const { engine, target, io, json, quiet, options } = context
  const settings: SettingText[] = []
  for (const { name, text } of given) {
    const read = text ?? (await readInput(context, name))
    if (read === null) return exitCodes.interrupted
    settings.push({ name, text: read })
  }
  const [kind, name] = [options.text('kind') ?? '', options.text('name') ?? '']
  const added = await engine.addChannel(target, { owner, kind, name, settings }).catch(throwAsUsage)
  const { channel, secret, warnings } = added
  if (json) {
    const { feedUrls } = channel
    const answer = { channel: channelAnswer({ ...channel, owner: added.owner }), warnings }
    const made = { ...(secret !== null && { secret }), ...(feedUrls !== undefined && { feedUrls }) }
    io.stdout.write(`${JSON.stringify({ ...answer, ...made })}\n`)
    return exitCodes.done
  }
  io.stdout.write(`${addedLines(added).join('\n')}\n`)
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`)
  if (!quiet && channel.feedUrls === undefined)
    io.stderr.write(`try it with erace channel test ${channel.id}, then choose it in your profiles\n`)
  return exitCodes.done
}

/** Longer than any setting may be, so that nothing is truncated silently. */
const MAX_PIPED_BYTES = 200_000

/** Typed without echo, or piped in; null if cancelled. */
async function readInput({ io }: Pick<CommandContext, 'io'>, name: string): Promise<string | null> {
  const text = io.prompt.isThere
    ? await io.prompt.ask(`${name}: `, { secret: true })
    : (await io.prompt.piped(MAX_PIPED_BYTES)).replace(/\r?\n$/, '')
  if (text === '')
    throw new InvalidInputError('usage-wrong', [{ place: `--set ${name}`, message: 'standard input is empty' }])
  return text
}

/** Reports invalid input under the names of the options. */
function throwAsUsage(error: unknown): never {
  if (!(error instanceof InvalidInputError) || error.code !== 'request-invalid') throw error
  const place = (of: string): string =>
    of.startsWith('settings.') ? `--set ${of.slice('settings.'.length)}` : of === 'settings' ? '--set' : `--${of}`
  throw new InvalidInputError(
    'usage-wrong',
    error.errors.map((each) => ({ ...each, place: place(each.place) })),
  )
}

async function list(context: CommandContext, owner: string | null): Promise<number> {
  const { engine, target, io, json, quiet } = context
  const channels = await engine.listChannels(target, owner)
  if (json) io.stdout.write(`${JSON.stringify({ channels: channels.map(channelAnswer) })}\n`)
  else if (channels.length > 0) io.stdout.write(`${listLines(channels).join('\n')}\n`)
  else if (!quiet) io.stderr.write('no channels yet\n')
  return exitCodes.done
}

async function test(context: CommandContext, id: string): Promise<number> {
  const { engine, target, io, json } = context
  const { outcome, answer } = await engine.testChannel(target, id)
  io.stdout.write(`${json ? JSON.stringify({ id, outcome, answer }) : testLine({ outcome, answer })}\n`)
  return outcome === 'delivered' ? exitCodes.done : exitCodes.failed
}

async function remove(context: CommandContext, id: string): Promise<number> {
  const { engine, target, io, json } = context
  const refused = await confirm(context, `Remove ${id} with its log and everything that waits to be sent?`)
  if (refused !== null) return refused
  const channel = await engine.removeChannel(target, id)
  if (json) io.stdout.write(`${JSON.stringify({ channel: channelAnswer(channel) })}\n`)
  else io.stdout.write(`removed ${shown(channel)}${usedBy(channel.profiles.length)}\n`)
  return exitCodes.done
}

function usedBy(profiles: number): string {
  return profiles === 0 ? '' : `, which ${profiles === 1 ? '1 profile' : `${profiles} profiles`} used`
}
