"""Copies a folder into a bucket with object lock, and then tries what an attacker with the same credentials would try.

usage: locked_bucket.py FOLDER COMMAND…

The bucket is one of moto, in this process. COMMAND is run with a remote `offsite:` of rclone. Each attempt prints one line: its name,
and `refused` or `done`. The last line has the SHA-256 of the first version of the backup, as the bucket still has it.
"""
import hashlib, os, subprocess, sys

for name in [name for name in os.environ if name.startswith("AWS_")]: del os.environ[name]
import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

BUCKET = "team-vault"
folder, command = sys.argv[1], sys.argv[2:]
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
keys = {"endpoint_url": f"http://{host}:{port}", "aws_access_key_id": "machine", "aws_secret_access_key": "secret"}
s3 = boto3.client("s3", region_name="us-east-1", config=Config(retries={"max_attempts": 0}), **keys)
s3.create_bucket(Bucket=BUCKET, ObjectLockEnabledForBucket=True)
s3.put_object_lock_configuration(Bucket=BUCKET, ObjectLockConfiguration={
    "ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 400}}})

remote = {"TYPE": "s3", "PROVIDER": "Other", "ENDPOINT": keys["endpoint_url"], "ACCESS_KEY_ID": "machine",
          "SECRET_ACCESS_KEY": "secret", "REGION": "us-east-1", "NO_CHECK_BUCKET": "true"}
env = {**os.environ, "RCLONE_CONFIG": "/dev/null", **{f"RCLONE_CONFIG_OFFSITE_{name}": value for name, value in remote.items()}}
copy = lambda: subprocess.run(command, env=env, capture_output=True, text=True)
copied = copy()
if copied.returncode != 0: sys.exit(copied.stderr)
(first,) = s3.list_object_versions(Bucket=BUCKET)["Versions"]
key, version = first["Key"], first["VersionId"]
print("mode", s3.head_object(Bucket=BUCKET, Key=key, VersionId=version)["ObjectLockMode"])

def attempt(name, body):
    try: body()
    except ClientError as error: print(name, "refused", error.response["Error"]["Code"])
    else: print(name, "done")

attempt("delete-version", lambda: s3.delete_object(Bucket=BUCKET, Key=key, VersionId=version))
attempt("delete-with-bypass", lambda: s3.delete_object(Bucket=BUCKET, Key=key, VersionId=version, BypassGovernanceRetention=True))
attempt("delete-bucket", lambda: s3.delete_bucket(Bucket=BUCKET))
attempt("overwrite", lambda: s3.put_object(Bucket=BUCKET, Key=key, Body=b"replaced"))
attempt("hide", lambda: s3.delete_object(Bucket=BUCKET, Key=key))
path = os.path.join(folder, key)
with open(path, "ab") as file: file.write(b"replaced")
print("copy-replaced", "done" if copy().returncode == 0 else "refused")
print("kept", hashlib.sha256(s3.get_object(Bucket=BUCKET, Key=key, VersionId=version)["Body"].read()).hexdigest())
server.stop()
