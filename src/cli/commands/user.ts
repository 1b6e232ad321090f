import type { ValidationError } from '../../config/validation-errors.ts'
import { type Account, type Role, roles } from '../../core/account.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import { readNewPassword } from '../args/new-password.ts'
import { type Command, type CommandContext, exitCodes } from '../command.ts'
import { columns, formatCount, printable } from '../output/terminal-text.ts'

const actions = ['add', 'list', 'passwd', 'remove'] as const
type Action = (typeof actions)[number]

const levels: readonly ServiceLevel[] = ['gold', 'silver', 'bronze']

type Traits = { name?: string; role?: Role; level?: ServiceLevel }

export const command: Command = {
  name: 'user',
  group: 'Watch',
  summary: 'the accounts: who may sign in',
  usage: 'add|list|passwd|remove EMAIL',
  options: [
    { name: 'name', argument: 'NAME', about: 'add: what people call them' },
    { name: 'role', argument: 'ROLE', about: `add: ${roles.join(' or ')} (default: user)` },
    { name: 'level', argument: 'LEVEL', about: `add: ${levels.join(', ')} (default: as the settings say, or silver)` },
    { name: 'yes', short: 'y', about: 'remove: without asking' },
  ],
  examples: [
    { line: 'erace user add ada@example.org --role administrator', about: 'asks for the password' },
    { line: 'pass show erace/eve | erace user add eve@example.org --level gold', about: 'the password from a pipe' },
    { line: 'ERACE_PASSWORD=… erace user passwd eve@example.org', about: 'a new one; ends all sessions' },
    { line: 'erace user list --json', about: 'all accounts' },
    { line: 'erace user remove eve@example.org --yes', about: 'with all profiles and annotations' },
  ],
  async prepare(context, errors) {
    const { positionals, options } = context
    const [word, email, ...rest] = positionals
    const action = actions.find((each) => each === word) ?? null
    if (action === null)
      errors.push({ place: word?.slice(0, 60) ?? 'user', message: `say what to do: ${actions.join(', ')}` })
    for (const each of action === 'list' ? positionals.slice(1) : rest)
      errors.push({
        place: each.slice(0, 60),
        message: `user ${word} takes ${action === 'list' ? 'no' : 'one'} address`,
      })
    if (action !== null && action !== 'list') checkEmail(email, errors)
    const traits = readTraits(action, options, errors)
    if (options.flag('yes') && action !== null && action !== 'remove')
      errors.push({ place: '--yes', message: 'goes with remove only' })
    const address = (email ?? '').toLowerCase()
    if (action === 'add') return () => add(context, address, traits)
    if (action === 'passwd') return () => setPassword(context, address)
    if (action === 'remove') return () => remove(context, address)
    return () => list(context)
  },
}

function checkEmail(email: string | undefined, errors: ValidationError[]): void {
  if (email === undefined) errors.push({ place: 'EMAIL', message: 'the address is missing' })
  else if (!/^[^\s@,]{1,190}@[^\s@,]{1,190}$/.test(email) || email.length > 254)
    errors.push({ place: email.slice(0, 60), message: 'expected an e-mail address' })
}

function readTraits(action: Action | null, options: CommandContext['options'], errors: ValidationError[]): Traits {
  for (const option of ['name', 'role', 'level'])
    if (options.text(option) !== undefined && action !== null && action !== 'add')
      errors.push({ place: `--${option}`, message: 'goes with add only' })
  const traits: Traits = {}
  const name = options.text('name')
  if (name !== undefined) traits.name = name
  const role = choice(options, 'role', roles, errors)
  if (role !== null) traits.role = role
  const level = choice(options, 'level', levels, errors)
  if (level !== null) traits.level = level
  return traits
}

function choice<T extends string>(
  options: CommandContext['options'],
  name: string,
  choices: readonly T[],
  errors: ValidationError[],
): T | null {
  const given = options.text(name)
  if (given === undefined) return null
  const found = choices.find((each) => each === given)
  if (found === undefined) errors.push({ place: `--${name}`, message: `expected one of ${choices.join(', ')}` })
  return found ?? null
}

async function add(context: CommandContext, email: string, traits: Traits): Promise<number> {
  const { engine, target } = context
  const password = await readNewPassword(context)
  if (password === null) return exitCodes.interrupted
  const account = await engine.addUser(target, { email, password, ...traits })
  return tell(context, { user: answer(account) }, `${shown(account)} is added`)
}

async function setPassword(context: CommandContext, email: string): Promise<number> {
  const { engine, target } = context
  const password = await readNewPassword(context)
  if (password === null) return exitCodes.interrupted
  const account = await engine.setPassword(target, email, password)
  return tell(context, { user: answer(account) }, `${shown(account)} has a new password; all sessions are over`)
}

async function remove(context: CommandContext, email: string): Promise<number> {
  const { engine, target, io, options } = context
  if (io.prompt.isThere && !options.flag('yes')) {
    const question = `Remove ${printable(email, 254)} with all profiles and annotations? [y/N] `
    const reply = await io.prompt.ask(question, { secret: false })
    if (reply === null) return exitCodes.interrupted
    if (!/^y(?:es)?$/i.test(reply.trim())) {
      io.stderr.write('nothing was removed\n')
      return exitCodes.failed
    }
  }
  const { account, profiles, annotations } = await engine.removeUser(target, email)
  const with_ = `with ${formatCount(profiles)} profiles and ${formatCount(annotations)} annotations`
  return tell(context, { user: answer(account), profiles, annotations }, `${shown(account)} is removed, ${with_}`)
}

async function list(context: CommandContext): Promise<number> {
  const { engine, target, quiet, io, json } = context
  const accounts = await engine.listUsers(target)
  if (accounts.length === 0 && !json && !quiet) io.stderr.write('there are no accounts yet\n')
  const rows = accounts.map(({ email, role, level, disabled, name }) => [
    printable(email, 60),
    role,
    level,
    disabled ? 'disabled' : '',
    printable(name, 40),
  ])
  return tell(context, { users: accounts.map(answer) }, columns(rows, '').join('\n'))
}

function tell({ io, json }: CommandContext, result: object, text: string): number {
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
