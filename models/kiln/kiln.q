E<> Kiln.Done
A[] Kiln.Done imply chimney
