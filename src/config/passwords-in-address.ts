/** What stands for a password in the address of a database, as it is written there and as it is meant. */
export function passwordsInAddress(address: string): string[] {
  const written = [/^[a-z]+:\/\/[^/?#@:]*:([^/?#@]*)@/i, /[?&](?:password|sslpassword)=([^&#]*)/i].flatMap(
    (place) => place.exec(address)?.[1] || [],
  );
  return written.flatMap((text) => [text, decode(text)]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
