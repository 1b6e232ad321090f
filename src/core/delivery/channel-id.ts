/** Id of a delivery channel. The inbox is not a channel, but may be used in place of one. */
const shape = /^c_[a-z0-9]{16}$/

export function isChannelId(text: string): boolean {
  return shape.test(text)
}
