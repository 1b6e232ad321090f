export default function SignInView() {
  return null
}
