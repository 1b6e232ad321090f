import type { ValidationError } from '../../config/validation-errors.ts'
import { type Account, type Role, roles } from '../../core/account.ts'
import { AppError } from '../../core/errors.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import { checkedPassword } from '../../services/accounts/account-text.ts'
import { confirm } from '../args/confirm.ts'
import { choice, emailAddress } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes } from '../command.ts'
import { columns, formatCount, printable } from '../output/terminal-text.ts'

const actions = ['add', 'list', 'passwd', 'remove'] as const
type Action = (typeof actions)[number]

const levels: readonly ServiceLevel[] = ['gold', 'silver', 'bronze']

type Traits = { name?: string; role?: Role; level?: ServiceLevel }

export const command: Command = {
  name: 'user',
  group: 'Watch',
  summary: 'manage accounts',
  usage: 'add|list|passwd|remove EMAIL',
  options: [
    { name: 'name', argument: 'NAME', about: 'add: display name' },
    { name: 'role', argument: 'ROLE', about: `add: ${roles.join(' or ')} (default: user)` },
    { name: 'level', argument: 'LEVEL', about: `add: ${levels.join(', ')} (default: as configured, or silver)` },
    { name: 'yes', short: 'y', about: 'remove: do not ask for confirmation' },
  ],
  examples: [
    { line: 'erace user add ada@example.org --role administrator', about: 'prompts for the password' },
    {
      line: 'pass show erace/eve | erace user add eve@example.org --level gold',
      about: 'reads the password from a pipe',
    },
    { line: 'ERACE_PASSWORD=… erace user passwd eve@example.org', about: 'sets a new password and ends all sessions' },
    { line: 'erace user list --json', about: 'lists all accounts' },
    { line: 'erace user remove eve@example.org --yes', about: 'also removes their profiles and annotations' },
  ],
  async prepare(context, errors) {
    const { positionals, options } = context
    const [word, email, ...rest] = positionals
    const action = actions.find((each) => each === word) ?? null
    if (action === null)
      errors.push({ place: word?.slice(0, 60) ?? 'user', message: `choose an action: ${actions.join(', ')}` })
    for (const each of action === 'list' ? positionals.slice(1) : rest)
      errors.push({
        place: each.slice(0, 60),
        message: `user ${word} takes ${action === 'list' ? 'no' : 'one'} email address`,
      })
    const address = action === null || action === 'list' ? '' : readAddress(email, errors)
    const traits = readTraits(action, options, errors)
    if (options.flag('yes') && action !== null && action !== 'remove')
      errors.push({ place: '--yes', message: 'only valid with remove' })
    if (action === 'add') return () => add(context, address, traits)
    if (action === 'passwd') return () => setPassword(context, address)
    if (action === 'remove') return () => remove(context, address)
    return () => list(context)
  },
}

function readAddress(email: string | undefined, errors: ValidationError[]): string {
  if (email !== undefined) return emailAddress(email, email.slice(0, 60), errors) ?? ''
  errors.push({ place: 'EMAIL', message: 'the email address is missing' })
  return ''
}

function readTraits(action: Action | null, options: CommandContext['options'], errors: ValidationError[]): Traits {
  for (const option of ['name', 'role', 'level'])
    if (options.text(option) !== undefined && action !== null && action !== 'add')
      errors.push({ place: `--${option}`, message: 'only valid with add' })
  const traits: Traits = {}
  const name = options.text('name')
  if (name !== undefined) traits.name = name
  const role = choice(options, 'role', roles, errors)
  if (role !== null) traits.role = role
  const level = choice(options, 'level', levels, errors)
  if (level !== null) traits.level = level
  return traits
}

async function add(context: CommandContext, email: string, traits: Traits): Promise<number> {
  const { engine, target } = context
  const password = await readNewPassword(context)
  if (password === null) return exitCodes.interrupted
  const account = await engine.addUser(target, { email, password, ...traits })
  return report(context, { user: answer(account) }, `added ${shown(account)}`)
}

async function setPassword(context: CommandContext, email: string): Promise<number> {
  const { engine, target } = context
  const password = await readNewPassword(context)
  if (password === null) return exitCodes.interrupted
  const account = await engine.setPassword(target, email, password)
  return report(context, { user: answer(account) }, `new password for ${shown(account)}; all sessions ended`)
}

async function remove(context: CommandContext, email: string): Promise<number> {
  const { engine, target } = context
  const refused = await confirm(context, `Remove ${printable(email, 254)} and all their profiles and annotations?`)
  if (refused !== null) return refused
  const { account, profiles, annotations } = await engine.removeUser(target, email)
  const with_ = `with ${formatCount(profiles)} profiles and ${formatCount(annotations)} annotations`
  return report(context, { user: answer(account), profiles, annotations }, `removed ${shown(account)}, ${with_}`)
}

async function list(context: CommandContext): Promise<number> {
  const { engine, target, quiet, io, json } = context
  const accounts = await engine.listUsers(target)
  if (accounts.length === 0 && !json && !quiet) io.stderr.write('no accounts yet\n')
  const rows = accounts.map(({ email, role, level, disabled, name }) => [
    printable(email, 60),
    role,
    level,
    disabled ? 'disabled' : '',
    printable(name, 40),
  ])
  return report(context, { users: accounts.map(answer) }, columns(rows, '').join('\n'))
}

function report({ io, json }: CommandContext, result: object, text: string): number {
  if (json) io.stdout.write(`${JSON.stringify(result)}\n`)
  else if (text !== '') io.stdout.write(`${text}\n`)
  return exitCodes.done
}

function shown({ email, role, level }: Account): string {
  return `${printable(email, 254)} (${role}, ${level})`
}

function answer({ id, email, name, role, level, disabled, createdAt }: Account) {
  return { id, email, name, role, level, disabled, createdAt: new Date(createdAt).toISOString() }
}

const MAX_PIPED_BYTES = 8192

/** From `ERACE_PASSWORD`, a prompt (typed twice), or a pipe: never from the command line, which others can read. Null if cancelled. */
async function readNewPassword({ env, io }: Pick<CommandContext, 'env' | 'io'>): Promise<string | null> {
  const given = env.ERACE_PASSWORD ?? ''
  if (given !== '') return accepted(given)
  if (!io.prompt.isThere) {
    const [line = ''] = (await io.prompt.piped(MAX_PIPED_BYTES)).split(/\r?\n/, 1)
    if (line === '') throw usageError('no password given: set ERACE_PASSWORD or pipe it in')
    return accepted(line)
  }
  const first = await io.prompt.ask('New password: ', { secret: true })
  if (first === null) return null
  accepted(first)
  const second = await io.prompt.ask('Repeat password: ', { secret: true })
  if (second === null) return null
  if (first !== second) throw usageError('the passwords do not match')
  return first
}

function accepted(password: string): string {
  try {
    return checkedPassword(password)
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

function usageError(message: string): AppError {
  return new AppError('usage-wrong', message)
}
