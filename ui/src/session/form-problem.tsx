import { messageOf } from '../api/client.ts'
import { Icon } from '../kit/icon.tsx'

export function FormProblem({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null
  const text = messageOf(error)
  return (
    <p className="gate-problem" role="alert">
      <Icon name="warning" size={18} />
      <span>{text.charAt(0).toUpperCase() + text.slice(1)}</span>
    </p>
  )
}
