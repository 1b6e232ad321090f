import type { Option } from '../command.ts'

/** For every command that fetches. */
export const allowNetOption: Option = {
  name: 'allow-net',
  argument: 'CIDR',
  repeatable: true,
  setting: 'network.allow',
  about: 'private network that may be fetched from; overrides the configured ones',
}
