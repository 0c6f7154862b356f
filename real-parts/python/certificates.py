"""Makes the throw-away certificates of one cluster: python certificates.py DIRECTORY ADDRESS...

Writes ca.crt, ca.key, server.crt, server.key (for the given addresses and localhost), kubelet-client.crt, kubelet-client.key (by
which the API server calls kubelets) and serviceaccount.key, all PEM;
keys are readable by their owner only. They live for a day.
"""

import datetime
import ipaddress
import os
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

directory, addresses = sys.argv[1], sys.argv[2:]
start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=5)
end = start + datetime.timedelta(days=1)


def name(common_name, organization=None):
    group = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization)] if organization else []
    return x509.Name([*group, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def write(file, content):
    descriptor = os.open(os.path.join(directory, file), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        out.write(content)


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def certificate(subject, public_key, extension, critical, organization=None):
    """Signed by the one CA of this run."""
    return (
        x509.CertificateBuilder()
        .subject_name(name(subject, organization))
        .issuer_name(name("kip-real-parts"))
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(extension, critical=critical)
        .sign(ca_key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )


ca_key = ec.generate_private_key(ec.SECP256R1())
server_key = ec.generate_private_key(ec.SECP256R1())
client_key = ec.generate_private_key(ec.SECP256R1())

names = [x509.DNSName("localhost")] + [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
is_ca = x509.BasicConstraints(ca=True, path_length=0)
write("ca.crt", certificate("kip-real-parts", ca_key.public_key(), is_ca, True))
write("ca.key", pem(ca_key))
write("server.crt", certificate("kube-apiserver", server_key.public_key(), x509.SubjectAlternativeName(names), False))
write("server.key", pem(server_key))
is_client = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
write(
    "kubelet-client.crt",
    certificate("kube-apiserver-kubelet-client", client_key.public_key(), is_client, False, "system:masters"),
)
write("kubelet-client.key", pem(client_key))
write("serviceaccount.key", pem(rsa.generate_private_key(public_exponent=65537, key_size=2048)))
