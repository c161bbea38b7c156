// Signs what it is given, a JSON object a line: {secret, id, timestamp, body}.
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';

for await (const line of createInterface({ input: process.stdin })) {
  const { secret, id, timestamp, body } = JSON.parse(line);
  console.log(new Webhook(secret).sign(id, new Date(timestamp * 1000), body));
}
